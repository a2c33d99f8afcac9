import { readFileSync } from 'node:fs';

/**
 * The part of AssemblyScript's compiler that is used here. Its own types declare a global `console` that hides Node's.
 */
interface Compiler {
  main(
    options: readonly string[],
    files: {
      readonly readFile: (file: string) => string | null;
      readonly listFiles: () => readonly string[];
      readonly writeFile: (file: string, contents: string | Uint8Array) => void;
    },
  ): Promise<{ readonly error: Error | null; readonly stderr: object }>;
}

const COMPILER: string = 'assemblyscript/asc';

interface WasmModule {
  /** The path is relative to the repository's root. */
  readonly source: string;
  /** The file with the compiled binary, and the name of the constant in it. */
  readonly target: string;
  readonly name: string;
}

export const WASM_MODULES: readonly WasmModule[] = [
  {
    source: 'engine/model/trees/assembly/index.ts',
    target: 'engine/model/trees/kernels-binary.ts',
    name: 'KERNELS_BINARY',
  },
];

/**
 * One memory of at most 4 GiB that all threads share. There is no runtime, because nothing is allocated in the memory.
 */
const OPTIONS = [
  ...['-O3', '--noAssert', '--runtime', 'stub'],
  ...['--importMemory', '--sharedMemory', '--initialMemory', '1', '--maximumMemory', '65536'],
  ...['--enable', 'threads', '--enable', 'simd'],
] as const;

export const locateInRepository = (path: string): URL => new URL(`../../${path}`, import.meta.url);

/** @throws Error with the compiler's messages */
export async function compileModule({ source, name }: WasmModule): Promise<string> {
  const { default: asc }: { readonly default: Compiler } = await import(COMPILER);
  let binary = new Uint8Array();
  const { error, stderr } = await asc.main([source, '-o', 'module.wasm', ...OPTIONS], {
    readFile: (file) => readSource(file),
    listFiles: () => [],
    writeFile: (_, contents) => {
      if (typeof contents !== 'string') binary = Uint8Array.from(contents);
    },
  });
  if (error) throw new Error(`${source}: ${error.message}\n${stderr}`);
  return `/** \`${source.split('/').slice(-2).join('/')}\` as WebAssembly, in base64. Made by \`npm run wasm\`. */
export const ${name} =
  '${Buffer.from(binary).toString('base64')}';
`;
}

/** Returns null for a file that does not exist, because the compiler tries several files per import. */
function readSource(file: string): string | null {
  try {
    return readFileSync(locateInRepository(file), 'utf8');
  } catch {
    return null;
  }
}
