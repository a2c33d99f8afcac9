import { readFileSync, writeFileSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import { collectExamples, locateExample } from './generated/examples.ts';

for (const [name, example] of await collectExamples()) {
  const file = locateExample(name);
  // Biome formats numbers and arrays in its own way, so a file with equal content stays as it is.
  if (isDeepStrictEqual(JSON.parse(readFileSync(file, 'utf8')), example)) continue;
  writeFileSync(file, `${JSON.stringify(example, null, 2)}\n`);
}
