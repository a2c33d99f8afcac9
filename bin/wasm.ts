import { writeFileSync } from 'node:fs';
import { binaryText, inRepository, WASM_MODULES } from './generated/wasm-modules.ts';

for (const module of WASM_MODULES) {
  writeFileSync(inRepository(module.target), await binaryText(module));
}
