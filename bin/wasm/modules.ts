import { readFileSync } from 'node:fs';
import wabt from 'wabt';

interface WasmModule {
  /** WebAssembly text, from the repository's root. */
  readonly source: string;
  /** The file that carries it assembled, and the name it has there. */
  readonly target: string;
  readonly name: string;
}

export const WASM_MODULES: readonly WasmModule[] = [
  {
    source: 'lambdas/model/trees/walk.wat',
    target: 'lambdas/model/trees/walk-binary.ts',
    name: 'WALK_BINARY',
  },
];

export const inRepository = (path: string): URL => new URL(`../../${path}`, import.meta.url);

/** What a module's target must say. */
export async function binaryText({ source, name }: WasmModule): Promise<string> {
  const file = source.split('/').at(-1) ?? source;
  const { parseWat } = await wabt();
  const features = { threads: true, simd: true, bulk_memory: true };
  const module = parseWat(file, readFileSync(inRepository(source), 'utf8'), features);
  const { buffer } = module.toBinary({});
  module.destroy();
  return `/** \`${file}\` in WebAssembly's binary format, as base64. Made by \`npm run wasm\`. */
export const ${name} =
  '${Buffer.from(buffer).toString('base64')}';
`;
}
