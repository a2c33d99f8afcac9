import { readFileSync } from 'node:fs';
import wabt from 'wabt';

const SOURCE = new URL('../../lambdas/model/trees/walk.wat', import.meta.url);

/** What `lambdas/model/trees/walk-binary.ts` must say: the assembled `walk.wat`. */
export async function walkBinaryText(): Promise<string> {
  const { parseWat } = await wabt();
  const features = { threads: true, simd: true, bulk_memory: true };
  const module = parseWat('walk.wat', readFileSync(SOURCE, 'utf8'), features);
  const { buffer } = module.toBinary({});
  module.destroy();
  return `/** \`walk.wat\` in WebAssembly's binary format, as base64. Made by \`npm run wasm\`. */
export const WALK_BINARY =
  '${Buffer.from(buffer).toString('base64')}';
`;
}
