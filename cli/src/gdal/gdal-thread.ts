import { parentPort, workerData } from 'node:worker_threads';
import { type BuildMosaicsResult, type BuildMosaicsTask, buildMosaics } from './build-mosaics.ts';
import { Gdal } from './gdal.ts';
import { type ReadLayerResult, type ReadLayerTask, readLayer } from './read-layer.ts';
import {
  type WriteGeoPackageResult,
  type WriteGeoPackageTask,
  writeGeoPackage,
} from './write-geopackage.ts';

export type GdalTask = ReadLayerTask | WriteGeoPackageTask | BuildMosaicsTask;

/** The result of a task by its kind. */
export interface GdalResults {
  readonly 'read-layer': ReadLayerResult;
  readonly 'write-geopackage': WriteGeoPackageResult;
  readonly 'build-mosaics': BuildMosaicsResult;
}

function runTask(gdal: Gdal, task: GdalTask): GdalResults[GdalTask['kind']] {
  switch (task.kind) {
    case 'read-layer':
      return readLayer(gdal, task);
    case 'write-geopackage':
      return writeGeoPackage(gdal, task);
    case 'build-mosaics':
      return buildMosaics(gdal, task);
  }
}

export interface ThreadData {
  readonly task: GdalTask;
  readonly compiled: WebAssembly.Module;
}

/** Runs the one task that the thread was started with (`run-in-thread.ts`). */
const { task, compiled }: ThreadData = workerData;
parentPort?.postMessage(runTask(await Gdal.start(compiled), task));
