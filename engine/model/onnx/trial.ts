import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { ModelInvalid } from './errors.ts';

/**
 * Runs a graph that needs ONNX Runtime in a separate process. A loop in the graph may never end,
 * and neither a promise nor a thread that runs it can be stopped. Ignores errors in the graph
 * itself; the caller finds them when it loads the graph.
 *
 * @param bytes an ONNX file
 * @throws ModelInvalid if the run does not end in time, or ends the process
 */
export async function tryGraph(
  bytes: Uint8Array,
  features: number,
  mostSeconds: number,
): Promise<void> {
  const { dirname } = import.meta;
  // Node resolves the TypeScript loader from the working directory of the process.
  const args = ['--import', 'tsx', join(dirname, 'trial-process.ts'), String(features)];
  await new Promise<void>((resolve, reject) => {
    const child = execFile(
      process.execPath,
      args,
      { cwd: dirname, timeout: mostSeconds * 1_000, killSignal: 'SIGKILL' },
      (error) => {
        if (error?.killed === true) {
          reject(new ModelInvalid(`a run with two points takes more than ${mostSeconds} s`));
        } else if (typeof error?.signal === 'string') {
          reject(new ModelInvalid(`a run with two points ends its process with ${error.signal}`));
        } else resolve();
      },
    );
    // The process may have ended before it has read the graph.
    child.stdin?.on('error', () => {});
    child.stdin?.end(bytes);
  });
}
