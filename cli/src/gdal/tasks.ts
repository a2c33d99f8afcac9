import { type BuildMosaicsResult, type BuildMosaicsTask, buildMosaics } from './build-mosaics.ts';
import type { Gdal } from './gdal.ts';
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

export function runTask(gdal: Gdal, task: GdalTask): GdalResults[GdalTask['kind']] {
  switch (task.kind) {
    case 'read-layer':
      return readLayer(gdal, task);
    case 'write-geopackage':
      return writeGeoPackage(gdal, task);
    case 'build-mosaics':
      return buildMosaics(gdal, task);
  }
}
