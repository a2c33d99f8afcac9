import { zipSync } from 'fflate';

const RINGS = 50_000;
const POINTS = 4;
const PRJ = 'GEOGCS["GCS_WGS_1984",DATUM["D_WGS_1984",SPHEROID["WGS_1984",6378137,298.25]]]';

/** A zipped Shapefile whose only record has so many rings and holes that to match them takes a minute. */
export function manyRings(): Uint8Array {
  const outer = [0, 0, 0, 1, 1, 0, 0, 0];
  // It lies in the bounds of each ring, but in none.
  const hole = [0.8, 0.8, 0.9, 0.8, 0.8, 0.9, 0.8, 0.8];
  const rings = Array.from({ length: 2 * RINGS }, (_, index) => (index < RINGS ? outer : hole));
  const files = {
    'rings.shp': shapeOf(rings),
    'rings.dbf': emptyTable(),
    'rings.prj': textOf(PRJ),
  };
  return zipSync(files);
}

const textOf = (text: string) => new TextEncoder().encode(text);

/** ESRI Shapefile Technical Description, July 1998: tables 1, 2 and 7. */
function shapeOf(rings: readonly (readonly number[])[]): Uint8Array {
  const content = 44 + 4 * rings.length + 16 * POINTS * rings.length;
  const view = new DataView(new ArrayBuffer(108 + content));
  view.setInt32(0, 9994);
  view.setInt32(24, view.byteLength / 2);
  view.setInt32(28, 1000, true);
  view.setInt32(32, 5, true);
  view.setInt32(100, 1);
  view.setInt32(104, content / 2);
  view.setInt32(108, 5, true);
  view.setInt32(144, rings.length, true);
  view.setInt32(148, POINTS * rings.length, true);
  rings.forEach((_, index) => {
    view.setInt32(152 + 4 * index, POINTS * index, true);
  });
  const start = 152 + 4 * rings.length;
  rings.flat().forEach((value, index) => {
    view.setFloat64(start + 8 * index, value, true);
  });
  return new Uint8Array(view.buffer);
}

/** dBASE III with a record of one empty column. */
function emptyTable(): Uint8Array {
  const view = new DataView(new ArrayBuffer(68));
  view.setUint8(0, 3);
  view.setUint32(4, 1, true);
  view.setUint16(8, 65, true);
  view.setUint16(10, 2, true);
  const bytes = new Uint8Array(view.buffer);
  bytes.set(textOf('A'), 32);
  bytes.set(textOf('C'), 43);
  view.setUint8(48, 1);
  view.setUint8(64, 0x0d);
  bytes.set(textOf('  '), 65);
  return bytes;
}
