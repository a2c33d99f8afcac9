import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, expect, it } from 'vitest';
import type { Run } from '../../../cli/src/run/run.ts';
import { type RunFile, writeBody } from '../../../cli/src/run/run-file.ts';
import { serviceClock } from '../../../cli/src/run/service-clock.ts';
import { submitChunks } from '../../../cli/src/run/submit.ts';
import { type Fetch, SoilClient } from '../../../client/src/index.ts';
import { scriptedFetch } from '../../support/client/scripted-fetch.ts';

const RUN_ID = '6f5c6b52-3a0c-4a52-8d16-3f1f6c1f0a01';
const BATCH = '01a1fd7e-7d08-73d2-96ae-b256a1f55901';
const BASE_URL = 'https://v2.soil.example';
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
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
    base_url: BASE_URL,
    input: {
      path: 'fields.geojson',
      layer: null,
      file_sha256: '',
      digest: '',
      stored: 'fields.json',
    },
    years: [2021],
    name_field: null,
    model: null,
    files: ['a.tif'],
    chunks: [
      {
        jobs: [0],
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

function submit(run: Run, fetch: Fetch, now = Date.now) {
  const client = new SoilClient({ baseUrl: BASE_URL, apiKey: 'key', fetch });
  const { signal } = new AbortController();
  return submitChunks({ client, run, signal, now, onCreated: () => {} });
}

it.each([401, 403, 429])(
  'a rejection with %i after a lost response does not forget that the batch may exist',
  async (status) => {
    const sentAt = new Date(Date.now() - HOUR_MS).toISOString();
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

/** The service's clock after one of its responses, with this header. */
async function clockAfter(date: string, ...responses: readonly (() => Response)[]) {
  const headers = { Date: date };
  const first = () => Response.json({ status: 'ok' }, { headers });
  const { fetch, exchanges } = scriptedFetch(first, ...responses);
  const clock = serviceClock(BASE_URL, fetch);
  await clock.fetch(`${BASE_URL}/health`, { method: 'GET' });
  return { clock, exchanges };
}

it('a clock that is 20 hours slow does not create the batch again after its key has expired', async () => {
  const run = await runSentAt(new Date(Date.now() - 10 * HOUR_MS).toISOString());
  const listed = { batch_id: BATCH, metadata: { run_id: RUN_ID } };
  const { clock, exchanges } = await clockAfter(
    new Date(Date.now() + 20 * HOUR_MS).toUTCString(),
    () => Response.json({ batches: [listed], has_more: false, next_cursor: null }),
  );
  await submit(run, clock.fetch, clock.now);
  expect(exchanges.map(({ init }) => init.method)).toEqual(['GET', 'GET']);
  expect(run.state.chunks[0]?.batches[0].batch_id).toBe(BATCH);
});

it('a request is sent at the service’s time', async () => {
  const run = await runSentAt('');
  await run.update((state) => {
    const [chunk] = state.chunks;
    if (chunk === undefined) return state;
    const [creation] = chunk.batches;
    return { ...state, chunks: [{ ...chunk, batches: [{ ...creation, sent_at: null }] }] };
  });
  const { clock } = await clockAfter('Sun, 06 Nov 2044 08:49:37 GMT', () =>
    Response.json({ batch_id: BATCH, total_jobs: 1 }),
  );
  await submit(run, clock.fetch, clock.now);
  expect(run.state.chunks[0]?.batches[0].sent_at).toMatch(/^2044-11-06T08:49/);
});

it.each(['', 'soon', 'Fri, 31 Dec 9999 23:59:59 GMT'])(
  'the time %j of a service counts as none',
  async (date) => {
    const { clock } = await clockAfter(date);
    expect(Math.abs(clock.now() - Date.now())).toBeLessThan(HOUR_MS);
  },
);
