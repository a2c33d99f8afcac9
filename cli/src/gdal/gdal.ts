import { type EmscriptenModule, startGdal } from './emscripten.ts';

/** Why GDAL failed, in its words. */
export class GdalError extends Error {
  override readonly name = 'GdalError';
}

export interface Dataset {
  readonly pointer: number;
}

const POINTER_BYTES = 4;
const DOUBLE_BYTES = 8;
/** `GDAL_OF_VECTOR` (gdal.h) */
const VECTOR = 0x04;
/** `GA_ReadOnly` (gdal.h) */
const READ_ONLY = 0;
/** `CE_Failure` (cpl_error.h); 1 is debug output, 2 a warning. */
const FAILURE = 3;

/** The functions of GDAL that are used, on a file system in memory: it sees no file of the machine. */
export class Gdal {
  private constructor(
    private readonly module: EmscriptenModule,
    /** What GDAL printed since the last call. */
    private readonly printed: string[],
  ) {}

  static async start(compiled: WebAssembly.Module): Promise<Gdal> {
    const printed: string[] = [];
    const module = await startGdal(compiled, (line) => printed.push(line));
    module.ccall('GDALAllRegister', null, [], []);
    return new Gdal(module, printed);
  }

  writeFile(path: string, content: Uint8Array): void {
    this.module.FS.writeFile(path, content);
  }

  makeFolder(path: string): void {
    this.module.FS.mkdir(path);
  }

  /** Shows a folder of the machine. */
  mount(folder: string, path: string): void {
    this.makeFolder(path);
    this.module.FS.mount(this.module.NODEFS, { root: folder }, path);
  }

  readFile(path: string): Uint8Array {
    return this.module.FS.readFile(path);
  }

  /** Opens a file with one of these drivers only, so that no file is taken for another format. */
  open(path: string, drivers: readonly string[], options: readonly string[] = []): Dataset {
    return this.checked(
      () => {
        const values = [path, VECTOR, this.strings(drivers), this.strings(options), 0];
        return { pointer: this.number('GDALOpenEx', values) };
      },
      ({ pointer }) => pointer !== 0,
    );
  }

  /** `ogrinfo -json` */
  vectorInfo(dataset: Dataset, options: readonly string[]): unknown {
    const list = this.strings(['-json', ...options]);
    const parsed = this.number('GDALVectorInfoOptionsNew', [list, 0]);
    const text = this.checked(() => this.text('GDALVectorInfo', [dataset.pointer, parsed]));
    return JSON.parse(text);
  }

  /** `ogr2ogr` to a file in memory */
  vectorTranslate(dataset: Dataset, path: string, options: readonly string[]): void {
    const parsed = this.number('GDALVectorTranslateOptionsNew', [this.strings(options), 0]);
    const sources = this.module._malloc(POINTER_BYTES);
    this.module.setValue(sources, dataset.pointer, '*');
    this.checked(
      () => {
        const made = this.number('GDALVectorTranslate', [path, 0, 1, sources, parsed, 0]);
        // Closing writes what is left.
        if (made !== 0) this.close({ pointer: made });
        return made;
      },
      (made) => made !== 0,
    );
  }

  /** `gdalinfo -json` */
  rasterInfo(path: string): unknown {
    const parsed = this.number('GDALInfoOptionsNew', [this.strings(['-json']), 0]);
    const dataset = this.checked(
      () => ({ pointer: this.number('GDALOpen', [path, READ_ONLY]) }),
      ({ pointer }) => pointer !== 0,
    );
    const text = this.checked(() => this.text('GDALInfo', [dataset.pointer, parsed]));
    this.close(dataset);
    return JSON.parse(text);
  }

  /** `gdalbuildvrt`; returns the file's text. */
  buildVrt(path: string, sources: readonly string[], options: readonly string[]): string {
    const parsed = this.number('GDALBuildVRTOptionsNew', [this.strings(options), 0]);
    const names = this.strings(sources);
    this.checked(
      () => {
        const made = this.number('GDALBuildVRT', [path, sources.length, 0, names, parsed, 0]);
        if (made !== 0) this.close({ pointer: made });
        return made;
      },
      (made) => made !== 0,
    );
    return new TextDecoder().decode(this.readFile(path));
  }

  close(dataset: Dataset): void {
    this.module.ccall('GDALClose', 'number', ['number'], [dataset.pointer]);
  }

  /**
   * A function that moves points to another coordinate reference system, x before y. A point that can't be
   * moved becomes NaN. Systems are given as GDAL reads them: a code, WKT or PROJJSON.
   */
  transformer(from: string, to: string): (points: readonly Point[]) => readonly Point[] {
    const options = this.strings([`SRC_SRS=${from}`, `DST_SRS=${to}`]);
    this.forget();
    // PROJ also reports grids that it lacks, and then takes the next best transformation.
    const transformer = this.number('GDALCreateGenImgProjTransformer2', [0, 0, options]);
    if (transformer === 0) throw this.error();
    return (points) => this.transformed(transformer, points);
  }

  private transformed(transformer: number, points: readonly Point[]): readonly Point[] {
    const { length } = points;
    const [x, y, z] = [this.doubles(length), this.doubles(length), this.doubles(length)];
    const succeeded = this.module._malloc(length * POINTER_BYTES);
    x.values().set(points.map(([value]) => value));
    y.values().set(points.map(([, value]) => value));
    z.values().fill(0);
    const values = [transformer, 0, length, x.pointer, y.pointer, z.pointer, succeeded];
    this.number('GDALGenImgProjTransform', values);
    const [xs, ys] = [x.values(), y.values()];
    const flags = this.module.HEAP32.subarray(succeeded / POINTER_BYTES);
    const result = points.map((_, index): Point => {
      const [a = Number.NaN, b = Number.NaN] = flags[index] === 0 ? [] : [xs[index], ys[index]];
      return Number.isFinite(a) && Number.isFinite(b) ? [a, b] : [Number.NaN, Number.NaN];
    });
    for (const pointer of [x.pointer, y.pointer, z.pointer, succeeded]) this.module._free(pointer);
    return result;
  }

  /** Room for numbers. The view is made anew for each use, because the memory moves when it grows. */
  private doubles(length: number) {
    const pointer = this.module._malloc(length * DOUBLE_BYTES);
    const start = pointer / DOUBLE_BYTES;
    return { pointer, values: () => this.module.HEAPF64.subarray(start, start + length) };
  }

  /** Calls GDAL and throws its error, also for a failure that it reports beside a result. */
  private checked<T>(call: () => T, isWhole: (result: T) => boolean = () => true): T {
    this.forget();
    const result = call();
    const failed = this.number('CPLGetLastErrorType', []) >= FAILURE;
    if (!failed && isWhole(result)) return result;
    throw this.error();
  }

  private forget(): void {
    this.module.ccall('CPLErrorReset', null, [], []);
    this.printed.length = 0;
  }

  /** The first error since `forget`: later ones follow from it. */
  private error(): GdalError {
    const [first] = this.printed.filter((line) => line.startsWith('ERROR '));
    const last = this.text('CPLGetLastErrorMsg', []);
    const reason = first?.replace(/^ERROR \d+: /, '') ?? last;
    return new GdalError(reason === '' ? 'GDAL gave no reason' : reason);
  }

  private number(name: string, values: readonly (number | string)[]): number {
    return Number(this.module.ccall(name, 'number', typesOf(values), values));
  }

  private text(name: string, values: readonly (number | string)[]): string {
    return String(this.module.ccall(name, 'string', typesOf(values), values));
  }

  /** A null-terminated array of strings. It is not freed: the memory ends with the thread. */
  private strings(texts: readonly string[]): number {
    const array = this.module._malloc((texts.length + 1) * POINTER_BYTES);
    for (const [index, text] of texts.entries()) {
      const bytes = this.module.lengthBytesUTF8(text) + 1;
      const pointer = this.module._malloc(bytes);
      this.module.stringToUTF8(text, pointer, bytes);
      this.module.setValue(array + index * POINTER_BYTES, pointer, '*');
    }
    this.module.setValue(array + texts.length * POINTER_BYTES, 0, '*');
    return array;
  }
}

export type Point = readonly [x: number, y: number];

function typesOf(values: readonly (number | string)[]): readonly ('number' | 'string')[] {
  return values.map((value) => (typeof value === 'string' ? 'string' : 'number'));
}

/** Text for an element or a quoted attribute. */
export function escapedXml(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}
