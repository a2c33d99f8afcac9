import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import {
  compileModule,
  locateInRepository,
  WASM_MODULES,
} from '../../../bin/generated/wasm-modules.ts';

it.each(WASM_MODULES)(
  'the WebAssembly that runs is the one that $source says (`npm run wasm`)',
  async (module) => {
    expect(readFileSync(locateInRepository(module.target), 'utf8')).toBe(
      await compileModule(module),
    );
  },
);
