import type { ReadLayerResult, ReadLayerTask } from '../gdal/read-layer.ts';
import { GdalCrash, runInThread } from '../gdal/run-in-thread.ts';
import type {
  CoordinateReferenceSystem,
  FieldCollection,
  FieldFormat,
} from './field-collection.ts';
import { FieldsError } from './fields-error.ts';
import { MAX_FIELDS, tooManyFields } from './limits.ts';
import { polygonsOf } from './polygons.ts';
import type { ReadOptions } from './read-options.ts';
import { isNoName } from './rules/reference-systems.ts';
import { FILE_TEXTS } from './rules/texts.ts';

type Read = Extract<ReadLayerResult, { outcome: 'read' }>;

const FORMATS = {
  geopackage: { format: 'GeoPackage', driver: 'GPKG', openOptions: [] },
  flatgeobuf: { format: 'FlatGeobuf', driver: 'FlatGeobuf', openOptions: [] },
  csv: {
    format: 'CSV',
    driver: 'CSV',
    // Values stay texts: as numbers, codes would lose their zeros.
    openOptions: [
      'GEOM_POSSIBLE_NAMES=wkt,geom,geometry,the_geom,wkt_geom,shape',
      'KEEP_GEOM_COLUMNS=NO',
      'AUTODETECT_TYPE=NO',
    ],
  },
} as const;

export async function readVectorFile(
  kind: keyof typeof FORMATS,
  file: string,
  content: Uint8Array,
  { layer = null, crs = null }: ReadOptions,
): Promise<FieldCollection> {
  const { format, driver, openOptions } = FORMATS[kind];
  // GDAL knows CSV by its name alone, and makes that of the layer from it.
  const files = [{ name: kind === 'csv' ? 'fields.csv' : file, content }] as const;
  const read = await readByGdal(file, { driver, files, openOptions, layer, crs });
  return collectionOf(format, file, kind === 'csv' ? { ...read, layer: null } : read);
}

export function collectionOf(
  format: FieldFormat,
  file: string,
  read: Omit<Read, 'layer'> & Pick<FieldCollection, 'layer'>,
): FieldCollection {
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
  const chosen = `EPSG:${task.crs}`;
  switch (result.outcome) {
    case 'read':
      return result;
    case 'damaged':
      throw new FieldsError('damaged', `${file} is damaged: ${sentence(result.reason)}`);
    case 'choose-layer':
      if (task.driver === 'CSV') throw withoutWkt(file);
      throw wrongLayer(file, result.layers, task.layer);
    case 'too-many':
      throw tooManyFields(file, result.count);
    case 'no-crs':
      throw noCrs(file);
    case 'names-other':
      throw namesOther(file, nameOf(result.crs), task.crs);
    case 'unknown-code':
      throw new FieldsError('unknown-crs', `${chosen} is not known.`);
    case 'far-away':
      throw new FieldsError('wrong-crs', FILE_TEXTS.farAway(file, chosen, result.place));
    case 'outside':
      throw new FieldsError(
        'wrong-crs',
        FILE_TEXTS.outside(file, nameOf(result.crs), result.area, result.place),
      );
    case 'unknown-crs':
      if (isNoName(result.crs.name)) throw noCrs(file);
      throw new FieldsError(
        'unknown-crs',
        `The coordinate reference system of ${file}, ${nameOf(result.crs)}, cannot be converted to WGS 84: ${sentence(result.reason)}`,
      );
  }
}

function nameOf({ code, name }: CoordinateReferenceSystem): string {
  return code ?? name;
}

export function namesOther(file: string, own: string, chosen: number | null): FieldsError {
  const problem = FILE_TEXTS.namesOther(file, own, `EPSG:${chosen}`);
  return new FieldsError('wrong-crs', `${problem} Omit --crs.`);
}

function withoutWkt(file: string): FieldsError {
  return new FieldsError(
    'no-fields',
    `${file} has no column of polygons: write them as WKT into a column named "wkt" or "geometry".`,
  );
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
  return new FieldsError(
    'choose-layer',
    wanted === null
      ? FILE_TEXTS.layers(file, layers, 'Choose one with --layer.')
      : FILE_TEXTS.noLayer(file, layers, wanted),
  );
}

function noCrs(file: string): FieldsError {
  return new FieldsError('no-crs', FILE_TEXTS.noCrs(file, NAME_IT));
}

/** The way out for a file that does not name its system. */
export const NAME_IT = 'Say which it is with --crs, such as --crs EPSG:28992.';

function sentence(reason: string): string {
  return /[.!?]$/.test(reason) ? reason : `${reason}.`;
}
