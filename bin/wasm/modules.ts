import { readFileSync } from 'node:fs';
import wabt from 'wabt';

interface WasmModule {
  /** File with WebAssembly text, relative to the repository's root. */
  readonly source: string;
  /** File with the assembled binary, and the constant's name in it. */
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

/** The text of a module's target file. */
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
