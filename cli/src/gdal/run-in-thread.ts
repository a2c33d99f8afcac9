import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import { compileGdal } from './emscripten.ts';
import type { GdalResults, GdalTask, ThreadData } from './gdal-thread.ts';

/** GDAL stopped without a result: it ran out of memory or into an error of its own. */
export class GdalCrash extends Error {
  override readonly name = 'GdalCrash';
}

/** Kept for the next thread: compiling takes longer than most tasks. */
let compiled: Promise<WebAssembly.Module> | undefined;
let program: Promise<URL> | undefined;

/**
 * Runs a task of GDAL in a thread of its own. A crash ends the thread, not the program, and the thread's
 * memory is free afterwards.
 */
export async function runInThread<T extends GdalTask>(task: T): Promise<GdalResults[T['kind']]> {
  compiled ??= compileGdal();
  program ??= threadProgram();
  const workerData: ThreadData = { task, compiled: await compiled };
  const thread = new Worker(await program, { workerData, execArgv: [] });
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
async function threadProgram(): Promise<URL> {
  if (!import.meta.url.endsWith('.ts')) return new URL('gdal-thread.js', import.meta.url);
  const { build } = await import('esbuild');
  const { outputFiles } = await build({
    entryPoints: [fileURLToPath(new URL('gdal-thread.ts', import.meta.url))],
    define: { 'import.meta.url': JSON.stringify(import.meta.url) },
    ...{ bundle: true, format: 'esm', platform: 'node', write: false },
  });
  return new URL(`data:text/javascript,${encodeURIComponent(outputFiles[0]?.text ?? '')}`);
}
