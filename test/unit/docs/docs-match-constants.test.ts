import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { computeDayCost, QUOTA_DAYS } from '../../../bench/scale/cost.ts';
import { SHOWN_BELOW } from '../../../bench/scale/report.ts';
import { SAMPLE_TYPES } from '../../../engine/raster/cog/sample-type.ts';
import { TOLERANCE_CELLS } from '../../../engine/raster/grid/project.ts';
import { RESPONSE_TIMEOUT_MS } from '../../../lambdas/adapters/webhook/http-receiver.ts';
import { MAX_VIOLATIONS } from '../../../lambdas/api/http/problem.ts';
import { IDEMPOTENCY_HOURS } from '../../../lambdas/domain/admission/idempotency.ts';
import { inHectares, MAX_BOUNDED_REFUND_PER_DAY } from '../../../lambdas/domain/admission/quota.ts';
import { DESTINATION_REQUESTS } from '../../../lambdas/domain/admission/request-rate.ts';
import { PRICES_AS_OF } from '../../../lambdas/domain/cost/prices.ts';
import {
  MAX_REDELIVERIES,
  REDELIVERY_INTERVAL_SECONDS,
} from '../../../lambdas/domain/delivery/redelivery.ts';
import { RETRY_DELAYS_SECONDS } from '../../../lambdas/domain/delivery/schedule.ts';
import { TESTS_PER_MINUTE } from '../../../lambdas/domain/delivery/test-delivery.ts';
import { LIMITS, QUEUE_DAYS, RETENTION_DAYS, RETRY_DAYS } from '../../../lambdas/domain/limits.ts';
import { MAX_RUN_LOOKUPS } from '../../../lambdas/domain/reconcile/reconcile.ts';
import { MAX_RESTARTS } from '../../../lambdas/domain/reconcile/reconcile-batch.ts';
import { OVERDUE_SECONDS } from '../../../lambdas/domain/reconcile/reconcile-event.ts';
import { REPLACED_KEY_KEPT_SECONDS } from '../../../lambdas/domain/signing/signing-key.ts';
import { DEFAULT_TENANT_LIMITS } from '../../../lambdas/domain/tenant/tenant.ts';
import { countConcurrentPredictions } from '../../../lib/config/capacity.ts';
import { readStageConfig } from '../../../lib/config/each-stage.ts';

const formatNumber = (value: number) => value.toLocaleString('en');
const page = (name: string) => readFileSync(`docs/${name}`, 'utf8').replace(/\s+/g, ' ');

/** Speed ratios to ONNX Runtime on smooth cells, either those with a goal (≥) or those without one. */
function listSpeedRatios(hasGoal: boolean): readonly string[] {
  const [, section = ''] = readFileSync('bench/RESULTS.md', 'utf8').split('## predict:');
  const [header = '', , ...rows] = section.split('\n').filter((line) => line.startsWith('|'));
  const column = header.split('|').findIndex((title) => title.trim() === 'ONNX Runtime ÷ ours');
  return rows
    .filter((row) => / smooth +\|/.test(row))
    .map((row) => row.split('|')[column]?.trim() ?? '')
    .filter((ratio) => ratio.includes('≥') === hasGoal)
    .map((ratio) => ratio.split(' ')[0] ?? '')
    .sort((a, b) => Number(a) - Number(b));
}
const ofUsualModels = listSpeedRatios(true);

const { jobsPerDay, hectaresPerDay, hectaresPerJob, requestsPerMinute } = DEFAULT_TENANT_LIMITS;
/** Values of the code that a page states, with their units; the sentences around them may change. */
const VALUES: Readonly<Record<string, readonly string[]>> = {
  '../README.md': [
    `${formatNumber(LIMITS.jobsPerBatch)} jobs`,
    `${LIMITS.bodyBytes / 1e6} MB`,
    `${formatNumber(LIMITS.hectaresPerJob)} ha`,
    `${formatNumber(LIMITS.verticesPerJob)} vertices`,
    `${RETENTION_DAYS} days`,
  ],
  'api.md': [
    `${formatNumber(LIMITS.jobsPerBatch)} jobs`,
    `${LIMITS.bodyBytes / 1e6} MB`,
    `within ${IDEMPOTENCY_HOURS} hours`,
    `within ${RETRY_DAYS} days`,
    `${RESPONSE_TIMEOUT_MS / 1000} s`,
  ],
  'images/batch-states.svg': [
    `${QUEUE_DAYS} days`,
    `at most ${readStageConfig('prod').deadlineHours} h`,
  ],
  'destinations.md': [`${DESTINATION_REQUESTS} more requests`],
  'aws.md': [
    `${formatNumber(jobsPerDay)} jobs`,
    `${formatNumber(hectaresPerDay)} ha`,
    `${formatNumber(hectaresPerJob)} ha`,
    `${requestsPerMinute} requests a minute`,
    `at most $${Math.max(...QUOTA_DAYS.map(computeDayCost)).toPrecision(2)}`,
    `${REPLACED_KEY_KEPT_SECONDS / 3_600} h`,
  ],
  'scale-and-cost.md': [
    `as of ${PRICES_AS_OF}`,
    `${formatNumber(jobsPerDay)} jobs and ${formatNumber(hectaresPerDay)} charged ha per UTC day`,
    formatNumber(SHOWN_BELOW),
  ],
  'configuration.md': (['dev', 'prod'] as const).flatMap((stage) => {
    const { runningBatches, concurrency, covariateRequests, ...config } = readStageConfig(stage);
    const plans = runningBatches.inAll * concurrency.jobs;
    const predictions = countConcurrentPredictions({ runningBatches, concurrency, ...config });
    const readers = plans + predictions;
    return [
      `${plans} + ${predictions}`,
      formatNumber(readers * covariateRequests.atOnce),
      formatNumber(readers * covariateRequests.perSecond),
    ];
  }),
  'errors.md': [
    `within ${RETRY_DAYS} days`,
    `perimeter × ${LIMITS.chargedWidthMetres} m`,
    `${LIMITS.chargedSquareMetresPerRing} m² per ring`,
    `at most ${formatNumber(MAX_BOUNDED_REFUND_PER_DAY.jobs)} jobs and ${formatNumber(inHectares(MAX_BOUNDED_REFUND_PER_DAY.squareMetres))} ha`,
  ],
  'rasters.md': [
    formatNumber(LIMITS.gridCrossingsPerJob),
    `${formatNumber(LIMITS.tilesPerRaster)} tiles`,
    `${TOLERANCE_CELLS} cells`,
    ...SAMPLE_TYPES,
  ],
  'manifest.md': [
    `${ofUsualModels[0]} to ${ofUsualModels.at(-1)} times as fast`,
    `with 150 covariates ${listSpeedRatios(false)[0]} times`,
  ],
  'reliability.md': [
    `\`.${MAX_RESTARTS}\``,
    `${readStageConfig('prod').deadlineHours} hours`,
    `${QUEUE_DAYS} days`,
    `${MAX_RUN_LOOKUPS} executions`,
    `${OVERDUE_SECONDS / 60} minutes`,
  ],
  'runbooks/oldest-queued.md': [`${QUEUE_DAYS} days`],
  'security.md': [`${formatNumber(LIMITS.verticesPerBatch)} vertices`, `${MAX_VIOLATIONS} errors`],
  'webhooks.md': [
    ...RETRY_DELAYS_SECONDS.map((s) => (s < 60 ? `${s} s` : `${s / 60} min`)),
    `${REDELIVERY_INTERVAL_SECONDS} s`,
    `${MAX_REDELIVERIES} times`,
    `${TESTS_PER_MINUTE} times a minute`,
    `${RESPONSE_TIMEOUT_MS / 1000} s`,
  ],
};

describe.each(Object.entries(VALUES))('docs/%s', (name, values) => {
  it.each([...new Set(values)])('states the current value: %s', (value) => {
    expect(page(name)).toContain(value);
  });
});
