import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type Job, SoilClient } from 'soil-batch-client';
import { afterAll, describe, expect, it } from 'vitest';
import { readFacts } from '../../../cli/src/results/run-facts.ts';
import batchStatus from '../../../lambdas/api/definitions/examples/batch-status.json' with {
  type: 'json',
};
import batchTotal from '../../../lambdas/api/definitions/examples/batch-total.json' with {
  type: 'json',
};
import { LIMITS } from '../../../lambdas/domain/limits.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'run-facts-'));
afterAll(() => rmSync(folder, { recursive: true }));

// The example is a response of the service; its JSON has wider types.
const example: Job = JSON.parse(JSON.stringify(batchStatus.jobs[0]));
const aJob = (id: string, retried?: string): Job => ({
  ...example,
  job_id: id,
  ...(retried === undefined ? {} : { retry_of_job_id: retried }),
});

/** The totals of a run with these batches, whose current jobs have ids from `now` on; and the request for them. */
async function totalsOf(batches: Readonly<Record<string, readonly Job[]>>) {
  let asked: URL | null = null;
  const client = new SoilClient({
    baseUrl: 'https://soil.example',
    apiKey: 'key',
    async fetch(url) {
      if (url.includes('/total')) asked = new URL(url);
      const status = { ...batchStatus, next_cursor: null };
      return Response.json(url.includes('/total') ? batchTotal : status);
    },
  });
  const current = Object.entries(batches).flatMap(([batchId, jobs]) =>
    jobs.filter(({ job_id }) => job_id.startsWith('now')).map((job) => ({ batchId, job })),
  );
  const outcomes = {
    jobs: new Map(current.entries()),
    expired: new Set<number>(),
    batches: new Map(Object.entries(batches)),
  };
  const reading = { client, signal: new AbortController().signal };
  const facts = await readFacts(reading, folder, outcomes);
  return { facts, query: asked === null ? null : new URL(asked).searchParams };
}

const replaced = (count: number) => Array.from({ length: count }, (_, i) => aJob(`old ${i}`));

describe('the total of a run', () => {
  it('excludes jobs that no longer count, and leaves retried ones to the service', async () => {
    const { facts, query } = await totalsOf({
      first: [aJob('now 1'), aJob('failed'), aJob('old')],
      gone: [aJob('twice', 'failed')],
      last: [aJob('now 2', 'twice'), aJob('now 3', 'old')],
    });
    expect(facts?.totals).toEqual(batchTotal);
    expect(query?.getAll('batch_id')).toEqual(['last']);
    expect(query?.getAll('exclude')).toEqual(['failed']);
  });

  it('is as large as the service allows, or else it says what helps', async () => {
    const most = LIMITS.excludedJobsPerTotal;
    const whole = await totalsOf({ one: [aJob('now'), ...replaced(most)] });
    expect(whole.query?.getAll('exclude')).toHaveLength(most);
    const larger = await totalsOf({ one: [aJob('now'), ...replaced(most + 1)] });
    expect(larger).toMatchObject({
      facts: { totals: null, totals_missing: expect.stringMatching(/151.*150.*--out/) },
      query: null,
    });
    const batches = Array.from({ length: LIMITS.batchesPerTotal + 1 }, (_, i) => `${i}`);
    const many = await totalsOf(Object.fromEntries(batches.map((id) => [id, [aJob(`now ${id}`)]])));
    expect(many).toMatchObject({
      facts: { totals_missing: expect.stringMatching(/11.*10.*--out/) },
    });
  });
});
