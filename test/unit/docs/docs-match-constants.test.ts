import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { MAX_ADDRESSES } from '../../../lambdas/adapters/webhook/connect.ts';
import { RESPONSE_TIMEOUT_MS } from '../../../lambdas/adapters/webhook/http-receiver.ts';
import { MAX_VIOLATIONS } from '../../../lambdas/api/contract/first-violations.ts';
import { PROBLEM_EXPLANATIONS } from '../../../lambdas/api/http/problem-explanations.ts';
import { usageOfBatch } from '../../../lambdas/domain/cost/batch-usage.ts';
import { costOf } from '../../../lambdas/domain/cost/cost.ts';
import { expectedWork } from '../../../lambdas/domain/cost/job-work.ts';
import { PRICES_AS_OF, pricesIn } from '../../../lambdas/domain/cost/prices.ts';
import {
  MAX_REDELIVERIES,
  REDELIVERY_INTERVAL_SECONDS,
} from '../../../lambdas/domain/delivery/redelivery.ts';
import { RETRY_DELAYS_SECONDS } from '../../../lambdas/domain/delivery/schedule.ts';
import { TESTS_PER_MINUTE } from '../../../lambdas/domain/delivery/test-delivery.ts';
import { LIMITS, RETENTION_DAYS } from '../../../lambdas/domain/limits.ts';
import { MAX_RUN_LOOKUPS } from '../../../lambdas/domain/reconcile/reconcile.ts';
import { MAX_RESTARTS } from '../../../lambdas/domain/reconcile/reconcile-batch.ts';
import { OVERDUE_SECONDS } from '../../../lambdas/domain/reconcile/reconcile-event.ts';
import { REPLACED_KEY_KEPT_SECONDS } from '../../../lambdas/domain/signing/signing-key.ts';
import { DEFAULT_TENANT_LIMITS } from '../../../lambdas/domain/tenant/tenant-limits.ts';
import { MAX_WHOLE_BYTES } from '../../../lambdas/raster/cog/assemble.ts';
import { MAX_ROW_MAJOR_BYTES } from '../../../lambdas/raster/cog/layout.ts';
import { S3_PART_LIMITS } from '../../../lambdas/raster/cog/parts.ts';
import { SAMPLE_TYPES } from '../../../lambdas/raster/cog/sample-type.ts';
import { TOLERANCE_CELLS } from '../../../lambdas/raster/grid/project.ts';
import { stageConfig } from '../../../lib/config/each-stage.ts';

const inWords = (value: number) => value.toLocaleString('en');
const page = (name: string) => readFileSync(`docs/${name}`, 'utf8').replace(/\s+/g, ' ');

describe('the page about failed jobs', () => {
  it('states the limits in force', () => {
    for (const name of [
      'errors.md',
      'decisions/0012-the-creating-transaction-takes-quotas-and-idempotency-keys.md',
    ]) {
      expect(page(name)).toContain(`perimeter × ${LIMITS.chargedWidthMetres} m`);
      expect(page(name)).toContain(`${LIMITS.chargedSquareMetresPerRing} m² per ring`);
    }
    expect(page('rasters.md')).toContain(`may cross ${inWords(LIMITS.gridCrossingsPerJob)},`);
    expect(page('rasters.md')).toContain(`${LIMITS.tilesPerRaster.toLocaleString('en')} tiles`);
  });
});

describe('the page about webhooks', () => {
  it('gives the retry schedule in force', () => {
    const words = RETRY_DELAYS_SECONDS.map((s) => (s < 60 ? `${s} s` : `${s / 60} min`));
    const last = words.at(-1);
    expect(page('webhooks.md')).toContain(`${words.slice(0, -1).join(', ')} and ${last} after`);
    expect(page('webhooks.md')).toContain(`at most ${RETRY_DELAYS_SECONDS.length} after`);
  });

  it.each([
    `every ${REDELIVERY_INTERVAL_SECONDS} s and ${MAX_REDELIVERIES} times per batch`,
    `${TESTS_PER_MINUTE} times a minute`,
    `tries up to ${MAX_ADDRESSES} of them`,
    `within ${RESPONSE_TIMEOUT_MS / 1000} s`,
    `the attempt's ${RESPONSE_TIMEOUT_MS / 1000} s`,
  ])('states the limit in force: %s', (limit) => {
    expect(page('webhooks.md')).toContain(limit);
  });

  it('agrees with the problem about redeliveries', () => {
    expect(PROBLEM_EXPLANATIONS['not-redeliverable']).toContain(`up to ${MAX_REDELIVERIES} times`);
  });
});

describe('the page about rasters', () => {
  const MIB = 1024 ** 2;
  const { minPartBytes, maxPartBytes, maxParts, maxObjectBytes, joinedBytes } = S3_PART_LIMITS;

  it.each([
    `by more than ${TOLERANCE_CELLS} cells`,
    `up to ${MAX_ROW_MAJOR_BYTES / MIB} MiB of tiles`,
    `up to ${MAX_WHOLE_BYTES / MIB} MiB is one PUT`,
    `under ${minPartBytes / MIB} MiB, S3's minimum part, are read and joined into parts of ${joinedBytes / MIB} MiB`,
    `| parts of an upload | ${maxParts.toLocaleString('en')} |`,
    `${minPartBytes / MIB} MiB (the last may be smaller) to ${maxPartBytes / 1024 ** 3} GiB`,
    `| an object | ${maxObjectBytes / 1024 ** 4} TiB |`,
    `${SAMPLE_TYPES[0]}, ${SAMPLE_TYPES.slice(1, -1).join(', ')} or ${SAMPLE_TYPES.at(-1)}`,
  ])('states what is in force: %s', (text) => {
    expect(page('rasters.md')).toContain(text);
  });
});

describe('the README', () => {
  const readme = readFileSync('README.md', 'utf8').replace(/\s+/g, ' ');

  it.each([
    `at most ${inWords(LIMITS.jobsPerBatch)} jobs and ${LIMITS.bodyBytes / 1e6} MB`,
    `at most ${inWords(LIMITS.hectaresPerJob)} ha and ${inWords(LIMITS.verticesPerJob)} vertices`,
    `in pages of ${LIMITS.pageSize.default}`,
    `readable for ${RETENTION_DAYS} days`,
  ])('states the limit in force: %s', (limit) => {
    expect(readme).toContain(limit);
  });
});

describe('the page about deploying', () => {
  const { jobsPerDay, hectaresPerDay, hectaresPerJob, requestsPerMinute } = DEFAULT_TENANT_LIMITS;

  it.each([
    `${inWords(jobsPerDay)} jobs and ${inWords(hectaresPerDay)} ha of ground per UTC day`,
    `${inWords(hectaresPerJob)} ha per job`,
    `${requestsPerMinute} requests a minute`,
    `perimeter × ${LIMITS.chargedWidthMetres} m`,
    `${LIMITS.chargedSquareMetresPerRing} m² per ring`,
    `deleted ${REPLACED_KEY_KEPT_SECONDS / 3_600} h later`,
  ])('states what is in force: %s', (text) => {
    expect(page('aws.md')).toContain(text);
  });
});

describe('the page about security', () => {
  it.each([
    `at most ${inWords(LIMITS.verticesPerBatch)} vertices per batch`,
    `nothing is checked after ${MAX_VIOLATIONS} errors`,
  ])('states the limit in force: %s', (limit) => {
    expect(page('security.md')).toContain(limit);
  });
});

describe('the page about failures', () => {
  it.each([
    `\`<batch_id>.1\` to \`.${MAX_RESTARTS}\``,
    `within its deadline, ${stageConfig('prod').deadlineHours} hours unless configured otherwise`,
    `at most ${MAX_RUN_LOOKUPS} executions`,
    `overdue for ${OVERDUE_SECONDS / 60} minutes`,
  ])('states what is in force: %s', (text) => {
    expect(page('reliability.md')).toContain(text);
  });
});

describe('the page about costs', () => {
  const text = page('cost.md');
  const { memoryMb, retentionDays } = stageConfig('prod');

  const costOfJobs = (patchBatches: number) => {
    const pointCounts = Array.from({ length: patchBatches }, () => 10_000);
    const job = expectedWork({ pointCounts, pointsPerSecond: 190_000, bands: 3 });
    const jobs = Array.from({ length: 1_000 }, () => job);
    const usage = usageOfBatch({ jobs, webhook: true, retentionDays }, memoryMb);
    return { ...costOf(usage, pricesIn('us-east-1').of), transitions: usage.stateTransitions };
  };
  const [one, twelve] = [costOfJobs(1), costOfJobs(12)];

  it.each([
    ['Step Functions', 'stateMachine'],
    ['S3: requests and storage', 'objects'],
    ['Lambda', 'functions'],
    ['DynamoDB', 'table'],
    ['**together**', 'total'],
    ['state transitions', 'transitions'],
  ] as const)('states what a thousand jobs cost: %s', (row, part) => {
    const shown = (value: number) =>
      part === 'transitions' ? value.toLocaleString('en') : value.toFixed(4);
    const cells = text
      .slice(text.indexOf(`| ${row} |`))
      .split('|')
      .slice(2, 4)
      .map((cell) => cell.replaceAll('*', '').trim());
    expect(cells).toEqual([shown(one[part]), shown(twelve[part])]);
  });

  it('names the date of the prices and the speed of the model', () => {
    const { points_per_second, bands } = JSON.parse(
      readFileSync('models/meuse-soc/manifest.json', 'utf8'),
    );
    expect(text).toContain(`as of ${PRICES_AS_OF}`);
    expect(text).toContain(
      `(${points_per_second.toLocaleString('en')} cells a second, three bands)`,
    );
    expect(bands).toHaveLength(3);
  });
});
