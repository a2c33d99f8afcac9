import { Worker } from 'node:worker_threads';
import { compileGdal } from './emscripten.ts';
import type { GdalResults, GdalTask, ThreadData } from './gdal-thread.ts';

/** GDAL stopped without a result: it ran out of memory or into an error of its own. */
export class GdalCrash extends Error {
  override readonly name = 'GdalCrash';
}

/** Kept for the next thread: compiling takes longer than most tasks. */
let compiled: Promise<WebAssembly.Module> | undefined;

/**
 * Runs a task of GDAL in a thread of its own. A crash ends the thread, not the program, and the thread's
 * memory is free afterwards.
 */
export async function runInThread<T extends GdalTask>(task: T): Promise<GdalResults[T['kind']]> {
  compiled ??= compileGdal();
  const thread = start({ task, compiled: await compiled });
  try {
    return await new Promise<GdalResults[T['kind']]>((resolve, reject) => {
      thread.once('message', resolve);
      thread.once('error', (error: unknown) => {
        const reason =
          error instanceof Error && error.message !== '' ? error.message : String(error);
        reject(new GdalCrash(reason, { cause: error }));
      });
      thread.once('exit', () => reject(new GdalCrash('it ended without a result')));
    });
  } finally {
    await thread.terminate();
  }
}

/** In a clone the thread is TypeScript, which Node 20 can't run by itself; the package has JavaScript. */
function start(workerData: ThreadData): Worker {
  const isSource = import.meta.url.endsWith('.ts');
  const program = new URL(`gdal-thread.${isSource ? 'ts' : 'js'}`, import.meta.url);
  if (!isSource) return new Worker(program, { workerData, execArgv: [] });
  const tsx = import.meta.resolve('tsx/esm/api');
  const boot = `import('${tsx}').then(({ register }) => { register(); return import('${program}'); })`;
  return new Worker(boot, { eval: true, workerData, execArgv: [] });
}
