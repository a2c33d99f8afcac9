import type { FieldGeometry } from '../fields/field-collection.ts';
import type { Column, Scalar } from '../results/result-columns.ts';
import { escapedXml, type Gdal, GdalError } from './gdal.ts';

export interface WriteGeoPackageTask {
  readonly kind: 'write-geopackage';
  readonly layer: string;
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
    gdal.writeFile(ROWS, encoder.encode(rowsOf(task)));
    gdal.writeFile(SCHEMA, encoder.encode(schemaOf(task)));
    const dataset = gdal.open(SCHEMA, ['OGR_VRT', 'GeoJSON']);
    const names = ['-lco', 'FID=fid', '-lco', 'GEOMETRY_NAME=geom'];
    gdal.vectorTranslate(dataset, PACKAGE, ['-f', 'GPKG', '-a_srs', 'EPSG:4326', ...names]);
    return { outcome: 'written', content: gdal.readFile(PACKAGE) };
  } catch (error) {
    if (!(error instanceof GdalError)) throw error;
    return { outcome: 'failed', reason: error.message };
  }
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
function schemaOf({ layer, columns }: WriteGeoPackageTask): string {
  const fields = columns.map(({ name, type }, index) => {
    const declared = type === 'Boolean' ? 'type="Integer" subtype="Boolean"' : `type="${type}"`;
    return `<Field name="${escapedXml(name)}" src="c${index}" ${declared}/>`;
  });
  return [
    `<OGRVRTDataSource><OGRVRTLayer name="${escapedXml(layer)}">`,
    `<SrcDataSource>${ROWS}</SrcDataSource><SrcLayer>rows</SrcLayer>`,
    '<OpenOptions><OOI key="DATE_AS_STRING">YES</OOI></OpenOptions>',
    '<GeometryType>wkbMultiPolygon</GeometryType><LayerSRS>EPSG:4326</LayerSRS>',
    ...fields,
    '</OGRVRTLayer></OGRVRTDataSource>',
  ].join('\n');
}
