import type { FieldGeometry, Position } from '../fields/field-collection.ts';
import type { Column, Scalar } from '../results/result-columns.ts';
import { escapedXml, type Gdal, GdalError } from './gdal.ts';

export interface WriteGeoPackageTask {
  readonly kind: 'write-geopackage';
  readonly layer: string;
  /** Definition of the system of the layer; null for WGS 84, in which the rows are. */
  readonly crs: string | null;
  readonly columns: readonly Pick<Column, 'name' | 'type'>[];
  readonly rows: readonly {
    readonly geometry: FieldGeometry | null;
    readonly values: readonly Scalar[];
  }[];
}

export type WriteGeoPackageResult =
  | { readonly outcome: 'written'; readonly content: Uint8Array }
  | { readonly outcome: 'failed'; readonly reason: string };

const ROWS = '/rows.geojson';
const SCHEMA = '/rows.vrt';
const PACKAGE = '/results.gpkg';

/** A layer of multipolygons, so that all rows have one type. */
export function writeGeoPackage(gdal: Gdal, task: WriteGeoPackageTask): WriteGeoPackageResult {
  try {
    const encoder = new TextEncoder();
    const { rows, crs } = inSystem(gdal, task);
    gdal.writeFile(ROWS, encoder.encode(rowsOf({ ...task, rows })));
    gdal.writeFile(SCHEMA, encoder.encode(schemaOf(task, crs)));
    const dataset = gdal.open(SCHEMA, ['OGR_VRT', 'GeoJSON']);
    const names = ['-lco', 'FID=fid', '-lco', 'GEOMETRY_NAME=geom'];
    gdal.vectorTranslate(dataset, PACKAGE, ['-f', 'GPKG', '-a_srs', crs, ...names]);
    return { outcome: 'written', content: gdal.readFile(PACKAGE) };
  } catch (error) {
    if (!(error instanceof GdalError)) throw error;
    return { outcome: 'failed', reason: error.message };
  }
}

const WGS84 = 'EPSG:4326';
/** A millimetre, and 0.1 mm of degrees. */
const DECIMALS = { metres: 1e3, degrees: 1e9 };

type Row = WriteGeoPackageTask['rows'][number];

/** The rows in the system of the layer; in WGS 84 where it has no place for one of them. */
function inSystem(gdal: Gdal, { rows, crs }: WriteGeoPackageTask) {
  if (crs === null) return { rows, crs: WGS84 };
  const decimals = DECIMALS[/^GEO(G|D)C/.test(crs) ? 'degrees' : 'metres'];
  const rounded = (value: number) => Math.round(value * decimals) / decimals;
  const transform = gdal.transformer(WGS84, crs);
  let isWhole = true;
  const moved = (positions: readonly Position[]) =>
    transform(positions).map(([x, y]): Position => {
      if (Number.isNaN(x)) isWhole = false;
      return [rounded(x), rounded(y)];
    });
  const movedRows = rows.map((row): Row => ({ ...row, geometry: mapped(row.geometry, moved) }));
  return isWhole ? { rows: movedRows, crs } : { rows, crs: WGS84 };
}

function mapped(
  geometry: FieldGeometry | null,
  moved: (positions: readonly Position[]) => readonly Position[],
): FieldGeometry | null {
  if (geometry === null) return null;
  if (geometry.type === 'Polygon') {
    return { type: 'Polygon', coordinates: geometry.coordinates.map(moved) };
  }
  const coordinates = geometry.coordinates.map((rings) => rings.map(moved));
  return { type: 'MultiPolygon', coordinates };
}

/** Columns are named by their position, because names may differ by case alone. */
function rowsOf({ rows }: WriteGeoPackageTask): string {
  const features = rows.map(({ geometry, values }) => {
    const properties = Object.fromEntries(values.map((value, index) => [`c${index}`, value]));
    return JSON.stringify({ type: 'Feature', geometry: multiPolygon(geometry), properties });
  });
  return `{"type":"FeatureCollection","features":[${features.join(',')}]}`;
}

function multiPolygon(geometry: FieldGeometry | null): FieldGeometry | null {
  if (geometry?.type !== 'Polygon') return geometry;
  return { type: 'MultiPolygon', coordinates: [geometry.coordinates] };
}

/** The types of the columns, which GDAL would guess from their values (https://gdal.org/en/stable/drivers/vector/vrt.html). */
function schemaOf({ layer, columns }: WriteGeoPackageTask, crs: string): string {
  const fields = columns.map(({ name, type }, index) => {
    const declared = type === 'Boolean' ? 'type="Integer" subtype="Boolean"' : `type="${type}"`;
    return `<Field name="${escapedXml(name)}" src="c${index}" ${declared}/>`;
  });
  return [
    `<OGRVRTDataSource><OGRVRTLayer name="${escapedXml(layer)}">`,
    `<SrcDataSource>${ROWS}</SrcDataSource><SrcLayer>rows</SrcLayer>`,
    '<OpenOptions><OOI key="DATE_AS_STRING">YES</OOI></OpenOptions>',
    `<GeometryType>wkbMultiPolygon</GeometryType><LayerSRS>${escapedXml(crs)}</LayerSRS>`,
    ...fields,
    '</OGRVRTLayer></OGRVRTDataSource>',
  ].join('\n');
}
