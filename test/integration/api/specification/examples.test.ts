import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { collectExamples, locateExample } from '../../../../bin/generated/examples.ts';

it('the examples in the document equal the responses of a run (`npm run docs`)', async () => {
  for (const [name, example] of await collectExamples()) {
    expect(JSON.parse(readFileSync(locateExample(name), 'utf8')), name).toEqual(example);
  }
});
