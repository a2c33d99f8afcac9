import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, inject, it } from 'vitest';
import * as z from 'zod';
import { METRICS } from '../../lambdas/observability/metric-catalogue.ts';
import { httpReceiving } from '../integration/delivery/local-receiver.ts';
import { httpClient } from './contract/http-client.ts';
import * as spec from './contract/spec-schemas.ts';
import { forbiddenIn, type Line, logged, measuredIn } from './operating/logged.ts';

const service = inject('service');
const call = httpClient(service.v2_url, service.api_key);
const SECRET = 'a secret that no line may hold';

const loggedCost = z.looseObject({ region: z.string(), prices_as_of: z.string() });

const FIELD = JSON.parse(readFileSync('examples/meuse-batch.json', 'utf8'));

let lines: readonly Line[];
let batchId: string;

beforeAll(async () => {
  const started = new Date();
  await using receiver = await httpReceiving((_, response) => response.writeHead(204).end());
  const order = { ...FIELD, webhook_url: `${receiver.url}/hook`, webhook_secret: SECRET };
  const answer = await call('/v1/batch', { body: JSON.stringify(order) });
  batchId = spec.created.parse(answer.json).batch_id;
  await call('/v1/batch/not-an-id/status');
  for (let wait = 0; wait < 300 && !isOver(lines ?? []); wait += 1) {
    await new Promise((resolve) => setTimeout(resolve, 500));
    lines = await logged(service, started);
  }
});

/** The webhook may be there before the step that sent it on its way has ended. */
const isOver = (found: readonly Line[]) =>
  ['finish-batch', 'delivery'].every((event) =>
    found.some(({ members }) => members?.['event'] === event && members['batch_id'] === batchId),
  );

const ours = () => lines.filter(({ members }) => members?.['event'] !== undefined);
const ofBatch = () => ours().filter(({ members }) => members?.['batch_id'] === batchId);

describe('the log of a batch', () => {
  it('has a line for each step, with its outcome and how long it took', () => {
    const events = new Set(ofBatch().map(({ members }) => members?.['event']));
    for (const event of [
      'create-batch',
      'plan-job',
      'predict-patch-batch',
      'assemble-raster',
      'finish-batch',
      'delivery',
    ]) {
      expect(events).toContain(event);
    }
    for (const { members } of ofBatch()) {
      expect(members).toMatchObject({
        timestamp: expect.any(String),
        level: expect.stringMatching(/^(INFO|ERROR)$/),
        outcome: expect.any(String),
        duration_ms: expect.any(Number),
      });
    }
  });

  it('tells of each its tenant, of a step its job and patch-batch', () => {
    const line = (event: string) =>
      ofBatch().find(({ members }) => members?.['event'] === event)?.members;
    for (const { members, text } of ofBatch())
      expect(members, text).toHaveProperty('tenant', 'demo');
    expect(line('create-batch')).toMatchObject({ status: 202, outcome: 'ok' });
    expect(line('predict-patch-batch')).toMatchObject({ job_index: 0, patch_batch_idx: 0 });
    expect(line('delivery')).toMatchObject({ attempt: 1, outcome: 'acknowledged' });
  });

  it('tells of its end what it cost, by service and in all, and so does the metric', () => {
    const end = ofBatch().find(({ members }) => members?.['event'] === 'finish-batch');
    const { region, prices_as_of, ...dollars } = loggedCost.parse(end?.members?.['cost']);
    const { total, ...parts } = z.record(z.string(), z.number()).parse(dollars);
    for (const part of Object.values(parts)) expect(part).toBeGreaterThan(0);
    const sum = Object.values(parts).reduce((added, part) => added + part, 0);
    expect(sum).toBeCloseTo(total ?? 0, 9);
    const measured = measuredIn(lines).get('BatchCost') ?? [];
    expect(new Set(measured.map(({ kind }) => kind))).toEqual(new Set(METRICS.BatchCost.values));
  });

  it('has no field that docs/logs.md does not name', () => {
    const documented = readFileSync('docs/logs.md', 'utf8').matchAll(/`([a-z_]+)[.`]/g);
    const known = new Set([...documented].map(([, name]) => name));
    const unknown = ours().flatMap(({ members }) =>
      Object.keys(members ?? {}).filter((name) => !known.has(name)),
    );
    expect([...new Set(unknown)]).toEqual([]);
  });

  it('measures what the catalogue names, and a batch measures all of its work', () => {
    const measured = measuredIn(lines);
    for (const name of measured.keys()) expect(Object.keys(METRICS)).toContain(name);
    for (const name of ['BatchesFinished', 'BatchDuration', 'JobsFinished', 'PredictionDuration']) {
      expect([...measured.keys()]).toContain(name);
    }
    for (const name of ['CellsPredicted', 'HectaresMapped', 'DeliveryAttempts']) {
      // A block at the edge of the data may hold no cell with a value.
      expect(measured.get(name)?.some(({ value }) => value > 0)).toBe(true);
    }
  });
});

describe('the search for what must not be logged', () => {
  it('finds nothing in what a batch and its webhook have logged', () => {
    expect(lines.length).toBeGreaterThan(20);
    expect(forbiddenIn(lines)).toEqual([]);
    expect(lines.filter(({ text }) => text.includes(SECRET) || text.includes('/hook'))).toEqual([]);
  });

  it.each([
    'key soc_9dJ3kLmNopQrStUvWxYz0123456789abcdefghijklm',
    'GET https://b.s3.amazonaws.com/k?X-Amz-Signature=00',
    '{"polygon":{"coordinates":[]}}',
    'vertex at [5.73, 50.96]',
    'AKIAIOSFODNN7EXAMPLE',
    '{"webhook_secret":"x"}',
  ])('would find: %s', (text) => {
    expect(forbiddenIn([{ group: 'g', text }])).toHaveLength(1);
  });
});
