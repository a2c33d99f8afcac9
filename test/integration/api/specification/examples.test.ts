import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { collectExamples, locateExample } from '../../../../bin/generated/examples.ts';

it('the examples of the document are what a run responds with: npm run docs writes them', async () => {
  for (const [name, example] of await collectExamples()) {
    expect(JSON.parse(readFileSync(locateExample(name), 'utf8')), name).toEqual(example);
  }
});
