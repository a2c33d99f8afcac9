import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { writeBody } from '../../../cli/src/run/request-body.ts';
import type { Run } from '../../../cli/src/run/run.ts';
import type { RunFile } from '../../../cli/src/run/run-file.ts';
import { submitChunks } from '../../../cli/src/run/submit.ts';
import { SoilClient } from '../../../client/src/index.ts';
import { scriptedFetch } from '../../unit/client/scripted-fetch.ts';

const RUN_ID = '6f5c6b52-3a0c-4a52-8d16-3f1f6c1f0a01';
const BATCH = '01a1fd7e-7d08-73d2-96ae-b256a1f55901';
const DAY_MS = 86_400_000;
const NO_FIELDS: Run['fields'] = {
  format: 'GeoJSON',
  layer: null,
  crs: { code: 'OGC:CRS84', name: 'WGS 84' },
  attributes: null,
  features: [],
  notes: [],
};

const folder = mkdtempSync(path.join(tmpdir(), 'cli-lost-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** A run whose only request was sent at this time, and got no response. */
async function runSentAt(sentAt: string): Promise<Run> {
  await writeBody(folder, 0, '{}');
  let state: RunFile = {
    format: 1,
    run_id: RUN_ID,
    created_at: sentAt,
    base_url: 'https://v2.soil.example',
    input: { path: 'fields.geojson', layer: null, digest: '' },
    years: [2021],
    name_field: null,
    model: null,
    chunks: [
      {
        first_job: 0,
        jobs: 1,
        batches: [{ kind: 'create', idempotency_key: 'k', sent_at: sentAt, batch_id: null }],
      },
    ],
  };
  return {
    folder,
    fields: NO_FIELDS,
    jobs: [],
    get state() {
      return state;
    },
    async update(change) {
      state = change(state);
    },
    release: async () => {},
  };
}

function submit(run: Run, fetch: ReturnType<typeof scriptedFetch>['fetch']) {
  const client = new SoilClient({ baseUrl: 'https://v2.soil.example', apiKey: 'key', fetch });
  const { signal } = new AbortController();
  return submitChunks({ client, run, signal, onCreated: () => {} });
}

it.each([401, 403, 429])(
  'a rejection with %i after a lost response does not forget that the batch may exist',
  async (status) => {
    const sentAt = new Date(Date.now() - 3_600_000).toISOString();
    const run = await runSentAt(sentAt);
    const type = status === 429 ? 'quota-exceeded' : 'unauthorized';
    const problem = { type: `https://v2.soil.example/problems/${type}`, title: 'No' };
    const { fetch } = scriptedFetch(() => Response.json(problem, { status }));
    await submit(run, fetch).catch(() => {});
    expect(run.state.chunks[0]?.batches[0].sent_at).toBe(sentAt);
  },
);

it('a clock that was set back does not create the batch again', async () => {
  const run = await runSentAt(new Date(Date.now() + 365 * DAY_MS).toISOString());
  const listed = { batch_id: BATCH, metadata: { run_id: RUN_ID } };
  const { fetch, exchanges } = scriptedFetch(() =>
    Response.json({ batches: [listed], has_more: false, next_cursor: null }),
  );
  await submit(run, fetch);
  expect(exchanges.map(({ init }) => init.method)).toEqual(['GET']);
  expect(exchanges[0]?.url.searchParams.has('created_after')).toBe(false);
  expect(run.state.chunks[0]?.batches[0].batch_id).toBe(BATCH);
});
