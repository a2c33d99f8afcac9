import { parentPort, workerData } from 'node:worker_threads';
import { Gdal } from './gdal.ts';
import { type GdalTask, runTask } from './tasks.ts';

export interface ThreadData {
  readonly task: GdalTask;
  readonly compiled: WebAssembly.Module;
}

/** Runs the one task that the thread was started with (`run-in-thread.ts`). */
const { task, compiled }: ThreadData = workerData;
parentPort?.postMessage(runTask(await Gdal.start(compiled), task));
