import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { urlPresigner } from '../../../lambdas/adapters/s3/presigned-url.ts';
import { rasterKey } from '../../../lambdas/adapters/s3/raster-key.ts';
import { creationResponse } from '../../../lambdas/api/endpoints/create-batch.ts';
import type { JobRecord, JobWarning } from '../../../lambdas/domain/job/job.ts';
import { LIMITS, SIGNED_URL_SECONDS } from '../../../lambdas/domain/limits.ts';
import { SUMMARY } from '../../support/api/batch-with-results.ts';
import { completedJob } from '../../support/api/job-records.ts';
import {
  type Answer,
  inMemoryService,
  POLYGON,
  resultsCall,
  statusCall,
} from '../../support/api/service.ts';
import { NOW } from '../../support/api/written-stores.ts';

beforeEach(() => vi.stubEnv('AWS_REGION', 'us-northeast-12'));
afterEach(() => vi.unstubAllEnvs());

/** A synchronous invocation's response (AWS Lambda quotas); the body is a JSON string in it. */
const LAMBDA_PAYLOAD_BYTES = 6 * 1024 * 1024;
/** AWS API Gateway quotas: payload size of REST APIs */
const GATEWAY_PAYLOAD_BYTES = 10 * 1024 * 1024;

/** Six bytes per character in JSON, and seven in JSON within a JSON string. */
const CONTROL = '\u0001';
const NAME = CONTROL.repeat(LIMITS.nameCharacters);
/** RFC 1035, section 2.3.4: a domain name has at most 253 characters as text. */
const BASE_URL = `https://${'d'.repeat(253)}/soil`;
const QUOTES = '"'.repeat(20);

const body = JSON.stringify({
  jobs: Array.from({ length: LIMITS.jobsPerBatch }, () => ({
    polygon: POLYGON,
    year: -9_007_199_254_740_991,
    name: NAME,
    model: `${'a'.repeat(100)}@${'1'.repeat(50)}`,
    properties: { a: 'x'.repeat(LIMITS.propertiesBytes - 8) },
  })),
  // Each quote takes four bytes in the response.
  metadata: { '': QUOTES.repeat((LIMITS.metadataBytes - 7) / 2 / QUOTES.length) },
});

/** The warning is about a model whose name has 100 characters. */
const warning = (code: JobWarning['code'], characters: number): JobWarning => ({
  code,
  message: 'm'.repeat(characters),
});
const record = (index: number): JobRecord => {
  const job = completedJob(index);
  return {
    ...job,
    result: { bytes: Number.MAX_SAFE_INTEGER, etag: `"${'e'.repeat(64)}-10000"` },
    model: {
      id: 'a'.repeat(100),
      temporal: 'static',
      dataPeriod: [1990, 1993],
      sha256: 'f'.repeat(64),
    },
    warnings: [
      warning('static_model', 200),
      warning('smaller_than_cell', 250),
      warning('partly_outside_coverage', 300),
    ],
  };
};

/** The response as a function returns it. */
function payloadBytes({ status, headers, text }: Answer): number {
  return Buffer.byteLength(JSON.stringify({ statusCode: status, headers, body: text }));
}

describe('a batch of 1,000 jobs with everything at its maximum', () => {
  it('fits in a request, and its status in a response of Lambda and of API Gateway', async () => {
    expect(Buffer.byteLength(body)).toBeLessThanOrEqual(LIMITS.bodyBytes);
    const sign = urlPresigner('b'.repeat(63), {
      accessKeyId: 'A'.repeat(20),
      secretAccessKey: 'secret',
    });
    const service = inMemoryService({
      signUrl: (batchId, jobId, fileName) =>
        sign(rasterKey(batchId, jobId), {
          at: NOW,
          expiresInSeconds: SIGNED_URL_SECONDS,
          query: {
            'response-content-disposition': `attachment; filename="${fileName}"`,
          },
        }),
    });
    const created = await service.create({ body });
    expect(created.status).toBe(202);
    const { batch_id } = creationResponse.parse(created.body);
    for (let index = 0; index < LIMITS.jobsPerBatch; index++) {
      service.jobs.set(`${batch_id}/${index}`, { ...record(index), summary: SUMMARY });
    }

    const call = { ...statusCall(batch_id), variables: { base_url: BASE_URL } };
    const answer = await service.batchStatus(call);
    const { status, text } = answer;
    expect(status).toBe(200);
    expect(payloadBytes(answer)).toBeLessThan(LAMBDA_PAYLOAD_BYTES);
    expect(Buffer.byteLength(text)).toBeLessThan(GATEWAY_PAYLOAD_BYTES);
  });

  it.each(['geojson', 'csv', 'stac'])(
    'has every page of its results in such a response: %s',
    async (format) => {
      const service = inMemoryService();
      const { batch_id } = creationResponse.parse((await service.create({ body })).body);
      for (let index = 0; index < LIMITS.jobsPerBatch; index++) {
        service.jobs.set(`${batch_id}/${index}`, { ...record(index), summary: SUMMARY });
      }
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
