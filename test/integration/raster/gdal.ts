import { padForHalving, type RasterDescription } from '../../../engine/raster/cog/raster.ts';
import { type CellFunction, NODATA } from '../../support/raster/builders.ts';
import { runCheck, withFile } from './run-check.ts';

/** The output of check_cog.py: a file as GDAL and rio-cogeo read it. */
export interface Verdict {
  readonly valid: boolean;
  readonly errors: readonly string[];
  readonly warnings: readonly string[];
  readonly width: number;
  readonly height: number;
  readonly bands: number;
  readonly dtypes: readonly string[];
  readonly nodata: number;
  readonly epsg: number;
  readonly crs_name: string;
  readonly transform: readonly number[];
  readonly block_shapes: readonly (readonly number[])[];
  readonly overviews: readonly number[];
  readonly pixel_interleaved: boolean;
  readonly descriptions: readonly string[];
  readonly units: readonly string[];
  readonly scales: readonly number[];
  readonly offsets: readonly number[];
  readonly tags: Readonly<Record<string, string>>;
  readonly structure: Readonly<Record<string, string>>;
  readonly band_tags: readonly Readonly<Record<string, string>>[];
  /** These are present only with --gdal-overviews. */
  readonly overview_differences?: readonly number[];
  readonly levels: readonly {
    readonly width: number;
    readonly height: number;
    readonly values: string;
  }[];
}

export async function checkCog(
  bytes: Uint8Array,
  options: readonly string[] = [],
): Promise<Verdict> {
  const verdict = await withFile(bytes, (path) =>
    runCheck('check_cog.py', [path, '--pixels', ...options]),
  );
  return verdict as Verdict;
}

export function decodeLevel(verdict: Verdict, level: number): Float32Array {
  const bytes = Buffer.from(verdict.levels[level]?.values ?? '', 'base64');
  return new Float32Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length));
}

/** Finds the first unexpected value; `toEqual` takes seconds for long arrays. */
export function findDifference(found: Float32Array, expected: Float32Array): string | null {
  if (found.length !== expected.length) return `${found.length} values, not ${expected.length}`;
  const at = found.findIndex((value, i) => value !== expected[i]);
  return at < 0 ? null : `value ${at} is ${found[at]}, not ${expected[at]}`;
}

export function expectedLevel(
  of: RasterDescription,
  value: CellFunction,
  level: number,
): Float32Array {
  const whole = padForHalving(of);
  const bands = of.bands.map((_, band) => {
    let { width } = whole;
    let cells: Float32Array = new Float32Array(width * whole.height).fill(NODATA);
    for (let row = 0; row < of.height; row += 1) {
      for (let col = 0; col < of.width; col += 1) cells[row * width + col] = value(col, row, band);
    }
    for (let i = 0; i < level; i += 1) {
      cells = halfOf(cells, width);
      width /= 2;
    }
    return cells;
  });
  const size = bands[0]?.length ?? 0;
  const all = new Float32Array(bands.length * size);
  for (const [band, cells] of bands.entries()) all.set(cells, band * size);
  return all;
}

function halfOf(cells: Float32Array, width: number): Float32Array {
  return Float32Array.from({ length: cells.length / 4 }, (_, i) => {
    const at = Math.floor(i / (width / 2)) * 2 * width + (i % (width / 2)) * 2;
    const four = [at, at + 1, at + width, at + width + 1].map((cell) => cells[cell] ?? Number.NaN);
    const valid = four.filter((cell) => cell !== NODATA);
    return valid.length === 0 ? NODATA : valid.reduce((a, b) => a + b, 0) / valid.length;
  });
}
