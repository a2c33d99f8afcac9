import { inject } from 'vitest';
import { batchStatusResponse } from '../../lambdas/api/operations/batch-status.ts';
import { httpClient } from '../support/api/http-client.ts';
import * as spec from '../support/api/spec-schemas.ts';
import { eventually } from '../support/deployed/eventually.ts';
import { type Line, readLogLines } from '../support/deployed/log-lines.ts';
import { createOperator } from '../support/deployed/operator.ts';

export const service = inject('service');
export const call = httpClient(service.v2_url, service.api_key);
export const operator = createOperator(service);

export const EMPTY = { polygon: { type: 'Polygon', coordinates: [] }, year: 2024 };

export async function postBatch(jobs: readonly object[], webhookUrl?: string): Promise<string> {
  const webhook = webhookUrl === undefined ? {} : { webhook_url: webhookUrl };
  const response = await call('/v1/batch', { body: JSON.stringify({ jobs, ...webhook }) });
  return spec.created.parse(response.json).batch_id;
}

export async function statusOf(batchId: string) {
  return batchStatusResponse.parse((await call(`/v1/batch/${batchId}/status`)).json);
}

/** Waits for a log line with these fields, written since a time. */
export function findLine(since: Date, expected: Readonly<Record<string, unknown>>): Promise<Line> {
  return logLine(since, (fields) =>
    Object.entries(expected).every(([name, value]) => fields?.[name] === value),
  );
}

/**
 * Returns the reconciler's first log line in which each of these counts is at least one; the reconciler also
 * runs on schedule.
 */
export function findReconcilerLine(
  since: Date,
  ...names: readonly ('pending' | 'undelivered' | 'oldest_running_seconds')[]
): Promise<Line> {
  return logLine(
    since,
    (fields) =>
      fields?.['event'] === 'reconciled' && names.every((name) => Number(fields[name]) >= 1),
  );
}

function logLine(since: Date, wanted: (fields: Line['fields']) => boolean): Promise<Line> {
  return eventually(
    async () => (await readLogLines(service, since)).find(({ fields }) => wanted(fields)),
    (found) => found !== undefined,
    { everyMs: 500 },
  );
}

export const waitUntilFinished = (batchId: string) =>
  eventually(
    () => statusOf(batchId),
    ({ completed_at }) => completed_at !== null,
    { everyMs: 500 },
  );
