import { expect, inject, it } from 'vitest';
import { listForbidden, readLogLines } from '../support/deployed/log-lines.ts';

// test/support/file-order.ts puts this file last, after the files whose log lines it searches.
it('no log line of the suite contains a key, a secret, a signed URL or a polygon', async () => {
  expect(listForbidden(await readLogLines(inject('service')))).toEqual([]);
});
