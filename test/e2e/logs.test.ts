import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, inject, it } from 'vitest';
import * as z from 'zod';
import { METRICS } from '../../lambdas/observability/metric-catalogue.ts';
import { httpClient } from '../support/api/http-client.ts';
import * as spec from '../support/api/spec-schemas.ts';
import { receiveHttp } from '../support/delivery/local-receiver.ts';
import {
  collectMetrics,
  type Line,
  listForbidden,
  readLogLines,
} from '../support/deployed/log-lines.ts';

const service = inject('service');
const call = httpClient(service.v2_url, service.api_key);
const SECRET = 'a secret that no log line may contain';

const loggedCost = z.looseObject({ region: z.string(), prices_as_of: z.string() });

const FIELD = JSON.parse(readFileSync('examples/meuse-batch.json', 'utf8'));

let lines: readonly Line[];
let batchId: string;

beforeAll(async () => {
  const started = new Date();
  await using receiver = await receiveHttp((_, response) => response.writeHead(204).end());
  const order = { ...FIELD, webhook_url: `${receiver.url}/hook`, webhook_secret: SECRET };
  const response = await call('/v1/batch', { body: JSON.stringify(order) });
  batchId = spec.created.parse(response.json).batch_id;
  await call('/v1/batch/not-an-id/status');
  for (let wait = 0; wait < 300 && !isEnded(lines ?? []); wait += 1) {
    await new Promise((resolve) => setTimeout(resolve, 500));
    lines = await readLogLines(service, started);
  }
});

/**
 * The fields of a step's line. On a busy machine a step may run twice; only the run that does the work logs the field
 * that `field` names.
 */
const findLine = (found: readonly Line[], event: string, field: string): Line['fields'] =>
  found.find(
    ({ fields }) =>
      fields?.['batch_id'] === batchId && fields['event'] === event && fields[field] !== undefined,
  )?.fields ?? null;

/** Whether the batch's last step has ended, which may be after the webhook that it queued arrives. */
const isEnded = (found: readonly Line[]) =>
  findLine(found, 'batch-ended', 'cost') !== null &&
  findLine(found, 'delivery', 'attempt') !== null;

const listStructuredLines = () => lines.filter(({ fields }) => fields?.['event'] !== undefined);
const listBatchLines = () =>
  listStructuredLines().filter(({ fields }) => fields?.['batch_id'] === batchId);

describe('the log of a batch', () => {
  it('has a line for each step, with its outcome and duration', () => {
    const events = new Set(listBatchLines().map(({ fields }) => fields?.['event']));
    for (const event of [
      'create-batch',
      'plan-job',
      'predict-patch-batch',
      'assemble-raster',
      'finish-batch',
      'batch-ended',
      'delivery',
    ]) {
      expect(events).toContain(event);
    }
    for (const { fields } of listBatchLines()) {
      expect(fields).toMatchObject({
        timestamp: expect.any(String),
        level: expect.stringMatching(/^(INFO|ERROR)$/),
        outcome: expect.any(String),
        duration_ms: expect.any(Number),
      });
    }
  });

  it('names the tenant on each line, and a step’s job and patch-batch', () => {
    for (const { fields, text } of listBatchLines())
      expect(fields, text).toHaveProperty('tenant', 'demo');
    expect(findLine(lines, 'create-batch', 'status')).toMatchObject({ status: 202, outcome: 'ok' });
    const predicted = { event: 'predict-patch-batch', job_index: 0, patch_batch_idx: 0 };
    expect(listBatchLines().map(({ fields }) => fields)).toContainEqual(
      expect.objectContaining(predicted),
    );
    const delivered = findLine(lines, 'delivery', 'attempt');
    expect(delivered).toMatchObject({ attempt: 1, outcome: 'acknowledged' });
  });

  it('states the batch’s cost by service and in total', () => {
    const end = findLine(lines, 'batch-ended', 'cost');
    const { region, prices_as_of, ...dollars } = loggedCost.parse(end?.['cost']);
    const { total, ...parts } = z.record(z.string(), z.number()).parse(dollars);
    for (const part of Object.values(parts)) expect(part).toBeGreaterThan(0);
    const sum = Object.values(parts).reduce((added, part) => added + part, 0);
    expect(sum).toBeCloseTo(total ?? 0, 9);
  });

  it('only has fields that docs/logs.md names', () => {
    const documented = readFileSync('docs/logs.md', 'utf8').matchAll(/`([a-z_]+)[.`]/g);
    const known = new Set([...documented].map(([, name]) => name));
    const unknown = listStructuredLines().flatMap(({ fields }) =>
      Object.keys(fields ?? {}).filter((name) => !known.has(name)),
    );
    expect([...new Set(unknown)]).toEqual([]);
  });

  it('only has metrics in the catalogue, including those of a batch’s work', () => {
    const metrics = collectMetrics(lines);
    for (const name of metrics.keys()) expect(Object.keys(METRICS)).toContain(name);
    for (const name of ['BatchesFinished', 'BatchDuration', 'JobsFinished', 'PredictionDuration']) {
      expect([...metrics.keys()]).toContain(name);
    }
    for (const name of ['CellsPredicted', 'DeliveryAttempts']) {
      // A patch-batch at the edge of the data may not have any cell with a value.
      expect(metrics.get(name)?.some(({ value }) => value > 0)).toBe(true);
    }
  });
});

describe('the search for data that must not be logged', () => {
  it('finds nothing in the log of a batch and its webhook', () => {
    expect(lines.length).toBeGreaterThan(20);
    expect(listForbidden(lines)).toEqual([]);
    expect(lines.filter(({ text }) => text.includes(SECRET) || text.includes('/hook'))).toEqual([]);
  });

  it.each([
    'key soc_9dJ3kLmNopQrStUvWxYz0123456789abcdefghijklm',
    'GET https://b.s3.amazonaws.com/k?X-Amz-Signature=00',
    '{"polygon":{"coordinates":[]}}',
    'vertex at [5.73, 50.96]',
    'AKIAIOSFODNN7EXAMPLE',
    '{"webhook_secret":"x"}',
  ])('finds: %s', (text) => {
    expect(listForbidden([{ group: 'g', text }])).toHaveLength(1);
  });
});
