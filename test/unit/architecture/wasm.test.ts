import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import {
  compileModule,
  locateInRepository,
  WASM_MODULES,
} from '../../../bin/generated/wasm-modules.ts';

it.each(WASM_MODULES)(
  'the WebAssembly file matches its source $source (`npm run wasm`)',
  async (module) => {
    expect(readFileSync(locateInRepository(module.target), 'utf8')).toBe(
      await compileModule(module),
    );
  },
);
