import { parentPort, workerData } from 'node:worker_threads';
import { Gdal } from './gdal.ts';
import { type ReadLayerTask, readLayer } from './read-layer.ts';

export interface ThreadData {
  readonly task: ReadLayerTask;
  readonly compiled: WebAssembly.Module;
}

/** Runs the one task that the thread was started with (`run-in-thread.ts`). */
const { task, compiled }: ThreadData = workerData;
parentPort?.postMessage(readLayer(await Gdal.start(compiled), task));
