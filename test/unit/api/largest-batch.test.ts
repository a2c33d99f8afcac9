import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { stringifyFields } from '../../../engine/json/raw-json.ts';
import { urlPresigner } from '../../../lambdas/adapters/s3/presigned-url.ts';
import { rasterKey } from '../../../lambdas/adapters/s3/raster-key.ts';
import { creationResponse } from '../../../lambdas/api/operations/create-batch.ts';
import type { jobRequest } from '../../../lambdas/api/operations/create-request.ts';
import { webhookView } from '../../../lambdas/domain/batch/batch-view.ts';
import { type CompletedRecord, JOB_WARNING_CODES } from '../../../lambdas/domain/job/job.ts';
import { collectWarnings, readJobViews } from '../../../lambdas/domain/job/reading/job-view.ts';
import { LIMITS, SIGNED_URL_SECONDS } from '../../../lambdas/domain/limits.ts';
import { SUMMARY } from '../../support/api/batch-with-results.ts';
import { completedJob } from '../../support/api/job-records.ts';
import {
  type Answer,
  inMemoryService,
  LATER,
  POLYGON,
  resultsCall,
  statusCall,
} from '../../support/api/service.ts';
import { NOW } from '../../support/api/written-stores.ts';
import { aBox } from '../../support/box.ts';
import { TINY } from '../../support/domain/polygons.ts';
import { makeVariant, planOnlyJob } from '../domain/job/planned-job.ts';

beforeEach(() => vi.stubEnv('AWS_REGION', 'us-northeast-12'));
afterEach(() => vi.unstubAllEnvs());

/**
 * The limit for a synchronous invocation's response (AWS Lambda quotas), which contains the body as a JSON
 * string.
 */
const LAMBDA_PAYLOAD_BYTES = 6 * 1024 * 1024;
/** The payload limit of REST APIs (AWS API Gateway quotas). */
const GATEWAY_PAYLOAD_BYTES = 10 * 1024 * 1024;

/** A character that takes six bytes in JSON, and seven in JSON within a JSON string. */
const CONTROL = '\u0001';
const NAME = CONTROL.repeat(LIMITS.nameCharacters);
/** A domain name has at most 253 characters as text (RFC 1035, section 2.3.4). */
const BASE_URL = `https://${'d'.repeat(253)}/soil`;
const QUOTES = '"'.repeat(20);

/** A new field is a type error until it is added here. */
const JOB: Readonly<Record<keyof typeof jobRequest.shape, unknown>> = {
  polygon: POLYGON,
  year: -9_007_199_254_740_991,
  name: NAME,
  model: `${'a'.repeat(100)}@${'1'.repeat(50)}`,
  properties: { a: 'x'.repeat(LIMITS.propertiesBytes - 8) },
};

/** A batch with a destination allows only shorter names. */
const bodyWith = (name: string, members: object) =>
  JSON.stringify({
    jobs: Array.from({ length: LIMITS.jobsPerBatch }, () => ({ ...JOB, name })),
    ...members,
    // In the response, each quotation mark takes four bytes.
    metadata: { '': QUOTES.repeat((LIMITS.metadataBytes - 7) / 2 / QUOTES.length) },
  });

const body = bodyWith(NAME, {});

const copiedBody = bodyWith(CONTROL.repeat((LIMITS.nameBytesWithDestination / 1_000 - 9) / 6), {
  destination: {
    bucket: 'b'.repeat(63),
    prefix: 'p'.repeat(LIMITS.prefixCharacters),
    role_arn: `arn:aws:iam::111122223333:role/${'r'.repeat(64)}`,
  },
});

const halfCovered = {
  type: 'MultiPolygon' as const,
  coordinates: [aBox(5.7, 50.9, 5.74002, 51), aBox(-179.1234, -79.1234, -178.1234, -78.1234)].map(
    ({ coordinates }) => coordinates,
  ),
};
const { record: plannedRecord } = await planOnlyJob(
  {
    polygon: { type: 'Feature', properties: { a: 'x'.repeat(4_000_000) }, geometry: TINY },
    year: 2024,
  },
  [makeVariant('1.0.0', { coverage: halfCovered })],
);
const storedWarnings = plannedRecord?.warnings ?? [];

const NUMBER = -0.000_001_234_56;
/** `Required`, so that a new field is a type error until it is added here. */
const record = (index: number): Required<CompletedRecord> => ({
  ...completedJob(index),
  uploads: [],
  raster_bytes: Number.MAX_SAFE_INTEGER,
  raster_etag: `"${'e'.repeat(32)}-10000"`,
  model: {
    id: `${'a'.repeat(100)}@10000.10000.10000`,
    temporal: 'static',
    data_period: [1990, 1993],
    sha256: 'f'.repeat(64),
  },
  total_patch_batches: LIMITS.patchBatchesPerJob,
  completed_patch_batches: LIMITS.patchBatchesPerJob,
  point_count: 9_999_999_999,
  completed_points: 9_999_999_999,
  predicted_points: 9_999_999_998,
  warnings: storedWarnings,
  summary: {
    ...SUMMARY,
    ...{ mean: NUMBER, lower: NUMBER, upper: NUMBER, cell_min: NUMBER, cell_max: NUMBER },
    unit: 'u'.repeat(20),
    stock: {
      ...{ value: NUMBER, lower: NUMBER, upper: NUMBER },
      unit: 't',
      substance: 's'.repeat(20),
    },
    stock_per_ha: NUMBER,
    impossible_point_count: 9_999_999_998,
    outside_bounds_point_count: 9_999_999_998,
    outside_share: 0.123_456,
    outside_applicability_share: 0.654_321,
  },
});

function payloadBytes({ status, headers, text }: Answer): number {
  return Buffer.byteLength(JSON.stringify({ statusCode: status, headers, body: text }));
}

async function createLargestBatch(body: string) {
  const sign = urlPresigner('b'.repeat(63), {
    accessKeyId: 'A'.repeat(20),
    secretAccessKey: 'secret',
  });
  const service = inMemoryService({
    signUrl: (batchId, jobId, fileName) =>
      sign(rasterKey(batchId, jobId), {
        at: NOW,
        expiresInSeconds: SIGNED_URL_SECONDS,
        query: { 'response-content-disposition': `attachment; filename="${fileName}"` },
      }),
  });
  const created = await service.create({ body });
  expect(created.status).toBe(202);
  const { batch_id } = creationResponse.parse(created.body);
  for (let index = 0; index < LIMITS.jobsPerBatch; index++) {
    await service.storeJob(batch_id, record(index));
  }
  return { service, batch_id };
}

describe('a batch of 1,000 jobs with everything at its maximum', () => {
  it('has all warnings that a job can have at the same time', () => {
    const codes = new Set(collectWarnings(record(0)).map(({ code }) => code));
    // Each of these two excludes a warning that the job has.
    const others = ['partly_outside_grid', 'interval_unavailable'];
    expect(JOB_WARNING_CODES.filter((code) => !codes.has(code))).toEqual(others);
  });

  it.each([
    ['without', body],
    ['with', copiedBody],
  ])('fits in a request, and its status fits in a response, %s a destination', async (_, body) => {
    expect(Buffer.byteLength(body)).toBeLessThanOrEqual(LIMITS.bodyBytes);
    const { service, batch_id } = await createLargestBatch(body);
    const { batch } = await service.storedBatch(batch_id);
    if (batch.destination !== undefined) {
      // The status of every job explains this failure.
      const failure = { step: 'role-open', code: 'C'.repeat(60) } as const;
      await service.stores.copies.recordFailure(batch_id, failure, 0);
    }
    const call = { ...statusCall(batch_id), variables: { base_url: BASE_URL } };
    const answer = await service.batchStatus(call);
    const { status, text } = answer;
    expect(status).toBe(200);
    expect(payloadBytes(answer)).toBeLessThan(LAMBDA_PAYLOAD_BYTES);
    expect(Buffer.byteLength(text)).toBeLessThan(GATEWAY_PAYLOAD_BYTES);
  });

  it('has a webhook that is smaller than its status and than 6 MB', async () => {
    const { service, batch_id } = await createLargestBatch(body);
    const { batch, metadata } = await service.storedBatch(batch_id);
    const indexes = Array.from({ length: LIMITS.jobsPerBatch }, (_, index) => index);
    const jobs = await readJobViews(service.stores, batch, indexes.map(record), indexes);
    const at = { started_at: LATER, completed_at: LATER };
    const end = { status: 'completed', ...at, completed_jobs: jobs.length } as const;
    const sent = stringifyFields(webhookView({ ...batch, ...end }, metadata, jobs));
    const { text } = await service.batchStatus({
      ...statusCall(batch_id),
      variables: { base_url: BASE_URL },
    });
    expect(Buffer.byteLength(sent)).toBeLessThan(Buffer.byteLength(text));
    // `docs/webhooks.md` tells receivers to set this limit.
    expect(Buffer.byteLength(sent)).toBeLessThan(6_000_000);
  });

  it('has a name and metadata with which a page of the list fits in a response', async () => {
    const service = inMemoryService();
    const { metadata } = JSON.parse(body);
    const text = JSON.stringify({ jobs: [{ polygon: null, year: 2024 }], name: NAME, metadata });
    for (let at = 0; at < LIMITS.pageSize.max; at++) await service.create({ body: text });
    const page = await service.list({ query: { limit: String(LIMITS.pageSize.max) } });
    expect(page.status).toBe(200);
    expect(payloadBytes(page)).toBeLessThan(LAMBDA_PAYLOAD_BYTES);
  });

  it.each(['geojson', 'csv', 'stac'])(
    'has results of which each page fits in a response: %s',
    async (format) => {
      const { service, batch_id } = await createLargestBatch(body);
      let pages = 0;
      let query: Readonly<Record<string, string>> | null = { format };
      for (; query !== null; pages++) {
        const page: Answer = await service.batchResults(resultsCall(batch_id, { query }));
        expect(page.status).toBe(200);
        expect(payloadBytes(page)).toBeLessThan(LAMBDA_PAYLOAD_BYTES);
        const next: string | undefined = /<(.*)>/.exec(String(page.headers['Link'] ?? ''))?.[1];
        query = next === undefined ? null : Object.fromEntries(new URL(next).searchParams);
      }
      expect(pages).toBeGreaterThan(1);
    },
  );
});
