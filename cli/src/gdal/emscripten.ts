import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

/** What is used of the Emscripten module (https://emscripten.org/docs/api_reference/module.html). */
export interface EmscriptenModule {
  ccall(
    name: string,
    returns: 'number' | 'string' | null,
    types: readonly ('number' | 'string')[],
    values: readonly (number | string)[],
  ): number | string | null;
  _malloc(bytes: number): number;
  _free(pointer: number): void;
  setValue(pointer: number, value: number, type: '*'): void;
  stringToUTF8(text: string, pointer: number, bytes: number): void;
  lengthBytesUTF8(text: string): number;
  readonly HEAPF64: Float64Array;
  readonly HEAP32: Int32Array;
  readonly NODEFS: object;
  readonly FS: {
    mkdir(path: string): void;
    mount(system: object, options: { readonly root: string }, path: string): void;
    writeFile(path: string, content: Uint8Array): void;
    readFile(path: string): Uint8Array;
  };
}

interface Settings {
  readonly instantiateWasm: (
    imports: ConstructorParameters<typeof WebAssembly.Instance>[1],
    done: (instance: WebAssembly.Instance) => void,
  ) => void;
  readonly getPreloadedPackage: () => ArrayBuffer;
  readonly print: (line: string) => void;
  readonly printErr: (line: string) => void;
  readonly preRun: readonly ((module: { readonly ENV: Record<string, string> }) => void)[];
}

const require = createRequire(import.meta.url);
const START = require.resolve('gdal3.js/build/package/gdal3WebAssembly.js');
const PARTS = join(dirname(START), '../../dist/package');

/** Compiles GDAL, which every thread can then start. */
export async function compileGdal(): Promise<WebAssembly.Module> {
  return new WebAssembly.Module(await readFile(join(PARTS, 'gdal3WebAssembly.wasm')));
}

/**
 * Starts the program inside gdal3.js. The package's own functions resolve its files from the working
 * directory, print to the console and take a GDAL warning for an error.
 */
export async function startGdal(
  compiled: WebAssembly.Module,
  onError: (line: string) => void,
): Promise<EmscriptenModule> {
  const start: (settings: Settings) => Promise<EmscriptenModule> = require(START);
  const data = await readFile(join(PARTS, 'gdal3WebAssembly.data'));
  return start({
    instantiateWasm: (imports, done) => done(new WebAssembly.Instance(compiled, imports)),
    getPreloadedPackage: () => Uint8Array.from(data).buffer,
    print: () => {},
    printErr: onError,
    preRun: [
      ({ ENV }) => {
        ENV['PROJ_LIB'] = '/usr/share/proj';
        ENV['GDAL_DATA'] = '/usr/share/gdal';
        ENV['CPL_LOG_ERRORS'] = 'ON';
      },
    ],
  });
}
