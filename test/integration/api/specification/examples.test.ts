import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { exampleFile, examples } from '../../../../bin/generated/examples.ts';

it('the examples of the document are what a run responds with: npm run docs writes them', async () => {
  for (const [name, example] of await examples()) {
    expect(JSON.parse(readFileSync(exampleFile(name), 'utf8')), name).toEqual(example);
  }
});
