import { writeFileSync } from 'node:fs';
import { exampleFile, examples } from './generated/examples.ts';

for (const [name, example] of await examples()) {
  writeFileSync(exampleFile(name), `${JSON.stringify(example, null, 2)}\n`);
}
