import { writeFileSync } from 'node:fs';
import { walkBinaryText } from './wasm/walk-binary-text.ts';

const target = new URL('../lambdas/model/trees/walk-binary.ts', import.meta.url);
writeFileSync(target, await walkBinaryText());
