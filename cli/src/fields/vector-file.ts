import type { ReadLayerResult, ReadLayerTask } from '../gdal/read-layer.ts';
import { GdalCrash, runInThread } from '../gdal/run-in-thread.ts';
import type { FieldCollection, FieldFormat } from './field-collection.ts';
import { FieldsError } from './fields-error.ts';
import { MAX_FIELDS, tooManyFields } from './limits.ts';
import { polygonsOf } from './polygons.ts';

type Read = Extract<ReadLayerResult, { outcome: 'read' }>;

const FORMATS = {
  geopackage: { format: 'GeoPackage', driver: 'GPKG' },
  flatgeobuf: { format: 'FlatGeobuf', driver: 'FlatGeobuf' },
} as const;

export async function readVectorFile(
  kind: keyof typeof FORMATS,
  file: string,
  content: Uint8Array,
  layer: string | null,
): Promise<FieldCollection> {
  const { format, driver } = FORMATS[kind];
  const files = [{ name: file, content }] as const;
  const read = await readByGdal(file, { driver, files, openOptions: [], layer });
  return collectionOf(format, file, read);
}

export function collectionOf(format: FieldFormat, file: string, read: Read): FieldCollection {
  const { layer, crs, attributes } = read;
  return { format, layer, crs, attributes, ...polygonsOf(file, read.features) };
}

export async function readByGdal(
  file: string,
  task: Omit<ReadLayerTask, 'kind' | 'maxFeatures'>,
): Promise<Read> {
  const result = await run(file, {
    ...task,
    kind: 'read-layer',
    maxFeatures: MAX_FIELDS,
  });
  switch (result.outcome) {
    case 'read':
      return result;
    case 'damaged':
      throw new FieldsError('damaged', `${file} is damaged: ${sentence(result.reason)}`);
    case 'choose-layer':
      throw wrongLayer(file, result.layers, task.layer);
    case 'too-many':
      throw tooManyFields(file, result.count);
    case 'no-crs':
      throw noCrs(file);
    case 'unknown-crs':
      if (/^((undefined|unknown|unnamed)\b|$)/i.test(result.crs.name)) throw noCrs(file);
      throw new FieldsError(
        'unknown-crs',
        `The coordinate reference system of ${file}, ${result.crs.code ?? result.crs.name}, cannot be converted to WGS 84: ${sentence(result.reason)}`,
      );
  }
}

async function run(file: string, task: ReadLayerTask): Promise<ReadLayerResult> {
  try {
    return await runInThread(task);
  } catch (error) {
    if (!(error instanceof GdalCrash)) throw error;
    throw new FieldsError('damaged', `GDAL failed on ${file}: ${sentence(error.message)}`, {
      cause: error,
    });
  }
}

/** The error for several layers of which none was chosen, or for a layer that is not there. */
export function wrongLayer(
  file: string,
  layers: readonly string[],
  wanted: string | null,
): FieldsError {
  if (layers.length === 0) {
    return new FieldsError('no-fields', `${file} contains no layer with geometry.`);
  }
  const names = layers.map((name) => `"${name}"`).join(', ');
  const problem =
    wanted === null
      ? `${file} has ${layers.length} layers: choose one with --layer.`
      : `${file} has no layer "${wanted}".`;
  return new FieldsError('choose-layer', `${problem} Its layers are ${names}.`);
}

export function noCrs(file: string): FieldsError {
  return new FieldsError(
    'no-crs',
    `${file} does not name its coordinate reference system, without which its coordinates mean nothing: set it in a GIS and save the file again.`,
  );
}

function sentence(reason: string): string {
  return /[.!?]$/.test(reason) ? reason : `${reason}.`;
}
