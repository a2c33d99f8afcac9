import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { SAMPLE_TYPES } from '../../../engine/raster/cog/sample-type.ts';
import { TOLERANCE_CELLS } from '../../../engine/raster/grid/project.ts';
import { RESPONSE_TIMEOUT_MS } from '../../../lambdas/adapters/webhook/http-receiver.ts';
import { MAX_VIOLATIONS } from '../../../lambdas/api/http/problem.ts';
import { inHectares, REFUNDED_PER_DAY } from '../../../lambdas/domain/admission/quota.ts';
import { costOf } from '../../../lambdas/domain/cost/batch-cost.ts';
import { usageOfBatch } from '../../../lambdas/domain/cost/batch-usage.ts';
import { expectedWork } from '../../../lambdas/domain/cost/job-work.ts';
import { PRICES_AS_OF, pricesIn } from '../../../lambdas/domain/cost/prices.ts';
import {
  MAX_REDELIVERIES,
  REDELIVERY_INTERVAL_SECONDS,
} from '../../../lambdas/domain/delivery/redelivery.ts';
import { RETRY_DELAYS_SECONDS } from '../../../lambdas/domain/delivery/schedule.ts';
import { TESTS_PER_MINUTE } from '../../../lambdas/domain/delivery/test-delivery.ts';
import { LIMITS, QUEUE_DAYS, RETENTION_DAYS } from '../../../lambdas/domain/limits.ts';
import { MAX_RUN_LOOKUPS } from '../../../lambdas/domain/reconcile/reconcile.ts';
import { MAX_RESTARTS } from '../../../lambdas/domain/reconcile/reconcile-batch.ts';
import { OVERDUE_SECONDS } from '../../../lambdas/domain/reconcile/reconcile-event.ts';
import { REPLACED_KEY_KEPT_SECONDS } from '../../../lambdas/domain/signing/signing-key.ts';
import { DEFAULT_TENANT_LIMITS } from '../../../lambdas/domain/tenant/tenant.ts';
import { stageConfig } from '../../../lib/config/each-stage.ts';

const inWords = (value: number) => value.toLocaleString('en');
const page = (name: string) => readFileSync(`docs/${name}`, 'utf8').replace(/\s+/g, ' ');

/** Values of the code that a page names, with their units; the sentence around them is free. */
const { jobsPerDay, hectaresPerDay, hectaresPerJob, requestsPerMinute } = DEFAULT_TENANT_LIMITS;
const VALUES: Readonly<Record<string, readonly string[]>> = {
  '../README.md': [
    `${inWords(LIMITS.jobsPerBatch)} jobs`,
    `${LIMITS.bodyBytes / 1e6} MB`,
    `${inWords(LIMITS.hectaresPerJob)} ha`,
    `${inWords(LIMITS.verticesPerJob)} vertices`,
    `${RETENTION_DAYS} days`,
  ],
  'aws.md': [
    `${inWords(jobsPerDay)} jobs`,
    `${inWords(hectaresPerDay)} ha`,
    `${inWords(hectaresPerJob)} ha`,
    `${requestsPerMinute} requests a minute`,
    `${REPLACED_KEY_KEPT_SECONDS / 3_600} h`,
  ],
  'errors.md': [
    `perimeter × ${LIMITS.chargedWidthMetres} m`,
    `${LIMITS.chargedSquareMetresPerRing} m² per ring`,
    `at most ${inWords(REFUNDED_PER_DAY.jobs)} jobs and ${inWords(inHectares(REFUNDED_PER_DAY.squareMetres))} ha`,
  ],
  'rasters.md': [
    inWords(LIMITS.gridCrossingsPerJob),
    `${inWords(LIMITS.tilesPerRaster)} tiles`,
    `${TOLERANCE_CELLS} cells`,
    ...SAMPLE_TYPES,
  ],
  'reliability.md': [
    `\`.${MAX_RESTARTS}\``,
    `${stageConfig('prod').deadlineHours} hours`,
    `${QUEUE_DAYS} days`,
    `${MAX_RUN_LOOKUPS} executions`,
    `${OVERDUE_SECONDS / 60} minutes`,
  ],
  'runbooks/oldest-queued.md': [`${QUEUE_DAYS} days`],
  'security.md': [`${inWords(LIMITS.verticesPerBatch)} vertices`, `${MAX_VIOLATIONS} errors`],
  'webhooks.md': [
    ...RETRY_DELAYS_SECONDS.map((s) => (s < 60 ? `${s} s` : `${s / 60} min`)),
    `${REDELIVERY_INTERVAL_SECONDS} s`,
    `${MAX_REDELIVERIES} times`,
    `${TESTS_PER_MINUTE} times a minute`,
    `${RESPONSE_TIMEOUT_MS / 1000} s`,
  ],
};

describe.each(Object.entries(VALUES))('docs/%s', (name, values) => {
  it.each([...new Set(values)])('has the value in force: %s', (value) => {
    expect(page(name)).toContain(value);
  });
});

describe('the page about scale and cost', () => {
  const whole = page('scale-and-cost.md');
  const text = whole.slice(whole.indexOf('## What a thousand jobs cost'));
  const { memoryMb, retentionDays } = stageConfig('prod');

  const costOfJobs = (patchBatches: number, count = 1_000, cells = 10_000) => {
    const pointCounts = Array.from({ length: patchBatches }, () => cells);
    const job = expectedWork({ pointCounts, pointsPerSecond: 190_000, bands: 3 });
    const jobs = Array.from({ length: count }, () => job);
    const usage = usageOfBatch({ jobs, webhook: true, retentionDays }, memoryMb);
    return { ...costOf(usage, pricesIn('us-east-1').of), transitions: usage.stateTransitions };
  };
  const [one, twelve] = [costOfJobs(1), costOfJobs(12)];

  /** Two digits, with the range in which the computed GB-seconds of Lambda have been. */
  function shown(part: keyof typeof one, cost: typeof one): string {
    if (part === 'transitions') return cost.transitions.toLocaleString('en');
    const lambda = part === 'functions' || part === 'total' ? cost.functions : 0;
    const [low, high] = [cost[part] - lambda * (1 - 1 / 10), cost[part] + lambda * (4 - 1)];
    const range = lambda === 0 ? '' : ` (${low.toPrecision(2)} to ${high.toPrecision(2)})`;
    return `${cost[part].toPrecision(2)}${range}`;
  }

  it.each([
    ['Step Functions', 'stateMachine'],
    ['S3: requests and storage', 'objects'],
    ['Lambda', 'functions'],
    ['DynamoDB', 'table'],
    ['**together**', 'total'],
    ['state transitions', 'transitions'],
  ] as const)('states what a thousand jobs cost: %s', (row, part) => {
    const cells = text
      .slice(text.indexOf(`| ${row} |`))
      .split('|')
      .slice(2, 4)
      .map((cell) => cell.replaceAll('*', '').trim());
    expect(cells).toEqual([shown(part, one), shown(part, twelve)]);
  });

  it.each([
    ['50 jobs of 5,000 ha', { jobs: 50, perBatch: 50, patchBatches: 100, touched: 1 }],
    ['10,000 jobs of 25 ha', { jobs: 10_000, perBatch: 1_000, patchBatches: 1, touched: 1 }],
    [
      `the worst: ${inWords(LIMITS.jobsPerDay)} batches of one job, ${LIMITS.patchBatchesPerJob} patch-batches each`,
      {
        jobs: LIMITS.jobsPerDay,
        perBatch: 1,
        patchBatches: LIMITS.patchBatchesPerJob,
        // `measured-area.ts` derives it.
        touched: 2 + 2 * Math.SQRT2,
      },
    ],
  ])('states what the default quota of a day costs: %s', (row, day) => {
    const cells = LIMITS.hectaresPerDay * 100 * day.touched;
    const batch = costOfJobs(day.patchBatches, day.perBatch, cells / day.jobs / day.patchBatches);
    const shown = text
      .slice(text.indexOf(`| ${row}`))
      .split('|')[2]
      ?.trim();
    expect(shown).toBe(((batch.total * day.jobs) / day.perBatch).toPrecision(2));
    expect(text).toContain(`at most ${(2 + 2 * Math.SQRT2).toFixed(2)} times its area`);
    expect(text).toContain(
      `${inWords(LIMITS.jobsPerDay)} jobs and ${inWords(LIMITS.hectaresPerDay)} charged ha per UTC day`,
    );
  });

  it('names the date of the prices and the speed of the model', () => {
    const { points_per_second, bands } = JSON.parse(
      readFileSync('models/meuse-soc/manifest.json', 'utf8'),
    );
    expect(text).toContain(`as of ${PRICES_AS_OF}`);
    expect(text).toContain(`${inWords(points_per_second)} cells a second`);
    expect(bands).toHaveLength(3);
  });
});
