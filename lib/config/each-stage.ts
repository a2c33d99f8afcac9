import { availableParallelism } from 'node:os';
import { RETENTION_DAYS } from '../../lambdas/domain/limits.ts';
import { STAGES, type StageName } from '../stages.ts';
import MODEL_PACKS from './model-packs.json' with { type: 'json' };
import { parseConfig, type StageConfig } from './stage-config.ts';

const dev = {
  stage: 'dev',
  retentionDays: RETENTION_DAYS,
  deadlineHours: 24,
  removalPolicy: 'destroy',
  deletionProtection: false,
  pointInTimeRecovery: false,
  logRetentionDays: 14,
  modelsFolder: 'models',
  // The operator chooses the packs with `npm run pack-add`. The packs of dev are examples under the GPL, so prod starts
  // without packs.
  modelPacks: MODEL_PACKS.dev,
  webhooks: {
    schemes: ['https', 'http'],
    privateReceivers: 'refuse',
    ports: 'web',
    concurrency: 2,
    scheduleFactor: 1,
  },
  // A new account runs 10 functions concurrently. 2 × 1 × 2 = 4 predictions and 2 deliveries leave 4 for the API and
  // the reconciler. The preflight checks that this fits the account (bin/preflight/concurrency.ts).
  runningBatches: { inAll: 2, reserved: 1, perTenant: 1 },
  concurrency: { jobs: 1, patchBatches: 2 },
  // The limits of one of the table's partitions.
  table: { readUnits: 3_000, writeUnits: 1_000 },
  covariateRequests: { atOnce: 4, perSecond: 20 },
  memoryMb: { api: 1_024, plan: 1_769, predict: 1_769, assemble: 1_769, deliver: 512 },
  throttling: {
    requestsPerSecond: 10,
    burst: 20,
    creations: { requestsPerSecond: 5, burst: 10 },
  },
  corsOrigins: [],
  alarms: { oldestUnfinishedMinutes: 180 },
  console: {
    backgrounds: [
      {
        name: 'OpenStreetMap',
        url: 'https://tile.openstreetmap.org/{z}/{x}/{y}.png',
        attribution: '© OpenStreetMap contributors (openstreetmap.org/copyright)',
        maxZoom: 19,
      },
    ],
  },
  firewall: 'off',
  apiLogRole: 'set',
} satisfies StageConfig;

/** The most jobs of a batch that run concurrently on one machine, whose memory their functions share. */
const JOBS_ON_MACHINE = 4;

export function chooseJobsAtOnce(cores: number): number {
  return Math.min(Math.max(Math.floor(cores / 2), 1), JOBS_ON_MACHINE);
}

const stages: Readonly<Record<StageName, StageConfig>> = {
  dev,
  prod: {
    ...dev,
    stage: 'prod',
    modelPacks: MODEL_PACKS.prod,
    removalPolicy: 'retain',
    deletionProtection: true,
    pointInTimeRecovery: true,
    logRetentionDays: 90,
    webhooks: { ...dev.webhooks, concurrency: 50 },
    // 20 × 5 × 4 = 400 concurrent predictions and 20 × 5 other steps leave 500 of an account's 1,000 for deliveries,
    // the API and other applications. Beyond the account's limit, steps are throttled for hours and API requests fail
    // (docs/scale-and-cost.md).
    runningBatches: { inAll: 20, reserved: 2, perTenant: 10 },
    // The reservation is also a limit, which is reached if the predictions of cancelled batches are still running when
    // the next batches start.
    concurrency: { jobs: 5, patchBatches: 4, reservePredictions: true },
    // The limits are at least twice what this many batches use. The remaining reads are enough for several tenants that
    // poll as often as they may (bench/scale/ceilings.ts).
    table: { readUnits: 24_000, writeUnits: 8_000 },
    throttling: {
      requestsPerSecond: 200,
      burst: 400,
      creations: { requestsPerSecond: 100, burst: 200 },
    },
    firewall: 'on',
    // Other services of the account may write their access logs with this role.
    apiLogRole: 'keep',
  },
  local: {
    ...dev,
    stage: 'local',
    modelPacks: MODEL_PACKS.local,
    logRetentionDays: 1,
    webhooks: {
      schemes: ['https', 'http'],
      privateReceivers: 'allow',
      ports: 'any',
      concurrency: 2,
      scheduleFactor: 1,
    },
    // Vite's development server, by name and by address.
    corsOrigins: ['http://localhost:5173', 'http://127.0.0.1:5173'],
    // A laptop has few cores, and each function is a process.
    runningBatches: { inAll: 4, reserved: 1, perTenant: 2 },
    concurrency: { jobs: chooseJobsAtOnce(availableParallelism()), patchBatches: 2 },
    throttling: {
      requestsPerSecond: 50,
      burst: 100,
      creations: { requestsPerSecond: 50, burst: 100 },
    },
  },
};

/** Reads the configuration of a stage, which `cdk -c stage=…` selects. @throws Error that lists the stages */
export function readStageConfig(stage: unknown = 'dev'): StageConfig {
  const name = STAGES.find((known) => known === stage);
  if (name === undefined) {
    throw new Error(
      `stage: unknown stage "${stage}"; use -c stage= with one of ${STAGES.join(', ')}`,
    );
  }
  return parseConfig(stages[name]);
}
