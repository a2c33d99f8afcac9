import { expect, inject, it } from 'vitest';
import { forbiddenIn, logged } from './operating/logged.ts';

// The smallest file, so that a fresh run comes to it last: what the others made functions log.
it('no line of the suite so far holds a key, a secret, a signed URL or a polygon', async () => {
  expect(forbiddenIn(await logged(inject('service')))).toEqual([]);
});
