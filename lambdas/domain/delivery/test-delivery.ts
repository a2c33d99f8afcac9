import { randomUUID } from 'node:crypto';
import { stringifyFields } from '#engine/json/raw-json.ts';
import type { Batch } from '../batch/batch.ts';
import { webhookView } from '../batch/batch-view.ts';
import {
  addSeconds,
  type Clock,
  millisecondsBetween,
  SECONDS_PER_DAY,
  timestamp,
} from '../clock.ts';
import { NO_COPIES } from '../destination/copy-status.ts';
import { jobIdOf, newBatchId } from '../identity.ts';
import type { JobRecord } from '../job/job.ts';
import { SUMMARY_METHOD } from '../job/job-summary.ts';
import { NO_AREA } from '../job/planning/measured-area.ts';
import { jobView } from '../job/reading/job-view.ts';
import { LIMITS, SIGNED_URL_SECONDS } from '../limits.ts';
import { classifyExchange, type LoggedAttempt, type Receiver } from './outcome.ts';
import { signatureHeaders } from './signature.ts';

/** Enough for a person, but too few to flood someone else's server. */
export const TESTS_PER_MINUTE = 10;

export interface TestAllowance {
  /** Takes one of the test deliveries for this minute (`YYYY-MM-DDTHH:MM`, UTC), if any is left. */
  take(tenant: string, minute: string, allowed: number): Promise<'taken' | 'used-up'>;
}

export interface TestDeliveryPorts {
  readonly allowance: TestAllowance;
  readonly receiver: Receiver;
  readonly clock: Clock;
}

export interface TestReceiver {
  readonly url: string;
  /** Signs this one request and is not stored; null for an unsigned request. */
  readonly secret: string | null;
}

export type TestDelivery =
  | {
      readonly kind: 'sent';
      readonly attempt: Omit<LoggedAttempt, 'event' | 'attempt' | 'started_at' | 'retry_at'>;
    }
  | { readonly kind: 'used-up'; readonly retryAfterSeconds: number };

/** Sends one sample, once, with the headers of a real delivery. */
export async function testDelivery(
  { allowance, receiver, clock }: TestDeliveryPorts,
  tenant: string,
  { url, secret }: TestReceiver,
): Promise<TestDelivery> {
  const started = clock();
  const sentAt = timestamp(started);
  const minute = sentAt.slice(0, 'YYYY-MM-DDTHH:MM'.length);
  if ((await allowance.take(tenant, minute, TESTS_PER_MINUTE)) === 'used-up') {
    return { kind: 'used-up', retryAfterSeconds: 60 - started.getUTCSeconds() };
  }
  const body = sampleBody(tenant, clock);
  const event_id = randomUUID();
  const headers = {
    'Content-Type': 'application/json',
    'X-Service-Event': 'batch.completed',
    ...signatureHeaders({ body, secret, eventId: event_id, sentAt }),
  };
  const before = clock();
  const outcome = classifyExchange(await receiver.post({ url, headers, body }));
  const duration_ms = millisecondsBetween(before, clock());
  const body_bytes = body.byteLength;
  return { kind: 'sent', attempt: { ...outcome, event_id, duration_ms, body_bytes } };
}

/**
 * Builds the body for a batch of one completed job, with `test: true`. The batch does not exist, and the URL's host is
 * reserved (RFC 2606).
 */
function sampleBody(tenant: string, clock: Clock): Uint8Array {
  const now = timestamp(clock());
  const createdAt = addSeconds(now, -60);
  const batch: Batch = {
    batch_id: newBatchId(new Date(createdAt)),
    tenant,
    total_jobs: 1,
    model: null,
    webhook: null,
    hectares_per_job: LIMITS.hectaresPerJob,
    created_at: createdAt,
    updated_at: now,
    results_expire_at: addSeconds(now, SECONDS_PER_DAY),
    status: 'completed',
    started_at: addSeconds(now, -50),
    completed_at: now,
    completed_jobs: 1,
  };
  const record: JobRecord = {
    job_index: 0,
    status: 'completed',
    completed_at: now,
    updated_at: now,
    model: {
      id: 'sample@1.0.0',
      temporal: 'static',
      data_period: [1990, 1993],
      sha256: '0'.repeat(64),
    },
    total_patch_batches: 1,
    completed_patch_batches: 1,
    shares: 1,
    point_count: 400,
    completed_points: 400,
    predicted_points: 400,
    prediction_ms: 40,
    warnings: [],
    raster_bytes: 5_120,
    raster_etag: '"d41d8cd98f00b204e9800998ecf8427e-1"',
    summary: {
      area_ha: 4,
      predicted_area_ha: 4,
      mean: 40,
      lower: 31,
      upper: 50,
      unit: 'kg/m3',
      level: 0.9,
      method: SUMMARY_METHOD,
      stock: { value: 320, lower: 248, upper: 400, unit: 't', substance: 'carbon' },
      standard_error: 5.77545,
      stock_per_ha: 80,
      cell_min: 22.5,
      cell_max: 61.2,
      cell_sd: 8.4,
      impossible_point_count: 0,
      outside_bounds_point_count: 0,
      outside_share: 0,
      outside_applicability_share: 0,
    },
  };
  const url = {
    url: `https://results.example/results/${batch.batch_id}/${jobIdOf(batch.batch_id, 0)}.tif`,
    createdAt: now,
    expiresAt: addSeconds(now, SIGNED_URL_SECONDS),
  };
  const head = { ...NO_AREA, name: 'a sample', year: 2024, model: null, hasProperties: false };
  const job = jobView(batch, 0, head, record, url, NO_COPIES.viewJob);
  const text = stringifyFields({ ...webhookView(batch, null, [job]), test: true });
  return Buffer.from(text, 'utf8');
}
