import { writeFileSync } from 'node:fs';
import { compileModule, locateInRepository, WASM_MODULES } from './generated/wasm-modules.ts';

for (const module of WASM_MODULES) {
  writeFileSync(locateInRepository(module.target), await compileModule(module));
}
