import { expect, inject, it } from 'vitest';
import { listForbidden, readLogLines } from '../support/deployed/log-lines.ts';

// Vitest runs the smallest file last, so this one sees the log lines of all others.
it('no log line of the suite contains a key, a secret, a signed URL or a polygon', async () => {
  expect(listForbidden(await readLogLines(inject('service')))).toEqual([]);
});
