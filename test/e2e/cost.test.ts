import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, inject, it } from 'vitest';
import * as z from 'zod';
import { type BatchWork, type Usage, usageOfBatch } from '../../lambdas/domain/cost/batch-usage.ts';
import { expectedWork, type PlannedWork } from '../../lambdas/domain/cost/job-work.ts';
import { readStageConfig } from '../../lib/config/each-stage.ts';
import { httpClient } from '../support/api/http-client.ts';
import * as spec from '../support/api/spec-schemas.ts';
import { receiveHttp } from '../support/delivery/local-receiver.ts';
import { eventually } from '../support/deployed/eventually.ts';
import { readLogLines } from '../support/deployed/log-lines.ts';

const service = inject('service');
const call = httpClient(service.v2_url, service.api_key);
const { retentionDays, memoryMb } = readStageConfig('local');

const SMALL = {
  type: 'Polygon',
  coordinates: [
    [
      [5.74, 50.97],
      [5.743, 50.97],
      [5.743, 50.972],
      [5.74, 50.972],
      [5.74, 50.97],
    ],
  ],
};
const WHOLE: { readonly jobs: readonly { readonly polygon: object }[] } = JSON.parse(
  readFileSync('examples/meuse-batch.json', 'utf8'),
);

const pack = z
  .object({ points_per_second: z.number(), bands: z.array(z.unknown()) })
  .parse(JSON.parse(readFileSync('models/meuse-soc/manifest.json', 'utf8')));

const counts = z.record(z.string(), z.number());

async function readCounts() {
  const response = await fetch(new URL('/_operations', service.endpoint_url));
  return counts.parse(await response.json());
}

const BATCH_FUNCTIONS = /Api(?:Authorizer|Creations)|Pipeline|Webhooks?Deliver/;

/** The write units for a finished batch's event, which this stage publishes and the cost model leaves out. */
const EVENT_UNITS = 6;

function computeUsage(before: z.infer<typeof counts>, after: z.infer<typeof counts>) {
  const sum = (name: RegExp) =>
    Object.entries(after)
      .filter(([operation]) => name.test(operation))
      .reduce((total, [operation, count]) => total + count - (before[operation] ?? 0), 0);
  const ofFunctions = (name: string) =>
    Object.entries(after)
      .filter(
        ([operation]) => operation.startsWith(`lambda.${name}.`) && BATCH_FUNCTIONS.test(operation),
      )
      .reduce((total, [operation, count]) => total + count - (before[operation] ?? 0), 0);
  return {
    functionCalls: ofFunctions('calls'),
    gbSeconds: ofFunctions('gb_seconds'),
    stateTransitions: sum(/^states\.transitions$/),
    readUnits: sum(/^dynamodb\.read_units$/),
    writeUnits: sum(/^dynamodb\.write_units$/) - EVENT_UNITS,
    objectWrites: sum(/^requests\.s3\.write$/),
    objectReads: sum(/^requests\.s3\.read$/),
    messages: sum(/^requests\.AmazonSQS\.SendMessage$/),
    keyUses: sum(/^requests\.TrentService\./),
  } satisfies Partial<Usage> & { gbSeconds: number };
}

async function readPlan(batchId: string, jobId: string): Promise<PlannedWork> {
  const status = await call(`/v1/batch/${batchId}/jobs/${jobId}/status`);
  const { patch_batches } = spec.jobDetail.parse(status.json);
  return {
    pointCounts: patch_batches.map(({ point_count }) => point_count),
    pointsPerSecond: pack.points_per_second,
    bands: pack.bands.length,
  };
}

async function readEvents(since: Date, batchId: string): Promise<readonly unknown[]> {
  const lines = await readLogLines(service, since);
  return lines.flatMap(({ fields }) => (fields?.['batch_id'] === batchId ? [fields['event']] : []));
}

/**
 * Whether the service has done other work since a time, such as a run of the reconciler or another suite's retries.
 */
async function isDisturbed(since: Date, batchId: string): Promise<boolean> {
  const lines = await readLogLines(service, since);
  return lines.some(
    ({ fields }) => fields?.['event'] !== undefined && fields['batch_id'] !== batchId,
  );
}

const ATTEMPTS = 5;

/** Measures the usage of a batch, again if other work on the emulator disturbed the measurement. */
async function measureUsageAlone(jobs: readonly object[], patchBatches: number) {
  let usage = await measureUsage(jobs, patchBatches);
  for (let attempt = 1; attempt < ATTEMPTS && usage.disturbed; attempt++) {
    usage = await measureUsage(jobs, patchBatches);
  }
  return usage;
}

/** Runs a batch without polling it, and returns the emulator's counts and the modelled usage. */
async function measureUsage(jobs: readonly object[], patchBatches: number) {
  let delivered = () => {};
  const delivery = new Promise<void>((resolve) => {
    delivered = resolve;
  });
  await using receiver = await receiveHttp((_request, response) => {
    response.writeHead(200).end();
    delivered();
  });
  const started = new Date();
  const before = await readCounts();
  const body = { jobs, webhook_url: receiver.url, webhook_secret: 'a secret of the cost test' };
  const created = await call('/v1/batch', { body: JSON.stringify(body) });
  const { batch_id } = spec.created.parse(created.json);
  await delivery;
  // The outcome of the attempt is written after the receiver's response; the last step may still run.
  await eventually(
    () => readEvents(started, batch_id),
    (events) => events.includes('delivery') && events.includes('finish-batch'),
  );
  const after = await readCounts();
  const status = spec.batch.parse((await call(`/v1/batch/${batch_id}/status`)).json);
  expect(status.status).toBe('completed');
  const job = expectedWork(await readPlan(batch_id, status.jobs[0]?.job_id ?? ''));
  expect(job.patchBatches).toBe(patchBatches);
  const work: BatchWork = {
    jobs: jobs.map(() => job),
    webhook: true,
    retentionDays,
  };
  return {
    counted: computeUsage(before, after),
    disturbed: await isDisturbed(started, batch_id),
    modelled: usageOfBatch(work, memoryMb),
  };
}

const UNITS = [
  'functionCalls',
  'stateTransitions',
  'readUnits',
  'writeUnits',
  'objectWrites',
  'objectReads',
] as const;

/** Scheduled functions may read a few items meanwhile. */
const NOISE = 6;

describe.each([
  { name: 'many jobs with one patch-batch each', jobs: 30, patchBatches: 1 },
  { name: 'a few jobs with many patch-batches', jobs: 3, patchBatches: 12 },
  { name: 'a single job', jobs: 1, patchBatches: 12 },
])('the cost model, for $name,', ({ jobs, patchBatches }) => {
  let usage: Awaited<ReturnType<typeof measureUsageAlone>>;

  beforeAll(async () => {
    const polygon = patchBatches === 1 ? SMALL : WHOLE.jobs[0]?.polygon;
    usage = await measureUsageAlone(
      Array.from({ length: jobs }, () => ({ polygon, year: 2024 })),
      patchBatches,
    );
  });

  it.each(UNITS)(`computes %s within 10 % plus ${NOISE} of the emulator’s count`, (unit) => {
    const deviation = Math.abs(usage.modelled[unit] - usage.counted[unit]);
    expect(
      deviation,
      `${usage.modelled[unit]} computed, ${usage.counted[unit]} counted`,
    ).toBeLessThanOrEqual(usage.counted[unit] / 10 + NOISE);
  });

  /**
   * Only the order of magnitude is comparable, because the processor differs and process starts are included. A
   * missing function, or MB in place of GB, would be further off.
   */
  it('computes GB-seconds in the measured order of magnitude', () => {
    const { armGbSeconds, x86GbSeconds } = usage.modelled;
    const ratio = (armGbSeconds + x86GbSeconds) / usage.counted.gbSeconds;
    expect(ratio).toBeGreaterThan(1 / 4);
    expect(ratio).toBeLessThan(10);
  });

  it('computes the exact numbers of queue and key requests', () => {
    // AWS charges sending, receiving and deleting a message.
    expect(usage.modelled.messages).toBe(3 * usage.counted.messages);
    expect(usage.modelled.keyUses).toBe(usage.counted.keyUses);
  });
});
