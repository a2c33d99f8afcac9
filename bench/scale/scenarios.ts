import { stageConfig } from '../../lib/config/each-stage.ts';
import type { StageName } from '../../lib/stages.ts';
import { NEW_ACCOUNT_FUNCTIONS, QUOTAS } from './quotas.ts';
import type { Demand, Setting } from './simulate.ts';
import { FIELD, REGION } from './work.ts';

export interface Scenario {
  /** The level in jobs a day, what comes and how, and what is set: as the table calls it. */
  readonly name: string;
  readonly demand: Demand;
  readonly setting: Setting;
}

/** As a stage is configured, in an account that allows so many functions. */
export function settingOf(stage: StageName, accountFunctions: number): Setting {
  const { runningBatches, concurrency, webhooks } = stageConfig(stage);
  return {
    accountFunctions,
    ...runningBatches,
    ...concurrency,
    deliveries: webhooks.concurrency,
  };
}

export const PROD: Setting = settingOf('prod', QUOTAS.functions.value);

/** A limit of ours that does not ask what the account allows: many large batches at a time. */
const UNBOUNDED: Setting = { ...PROD, inAll: 100, jobs: 20, patchBatches: 20 };

const HOUR = 3_600;
const TENANTS = 50;

/** The busiest hour of 10⁶ jobs a day brings three times the mean. */
export const PEAK = 3;
const IN_PEAK_HOUR = (PEAK * 1_000_000) / 24;

const oneBatch = { batches: 1, tenants: 1, overSeconds: 1 };
const thousandRegions: Demand = { kind: REGION, jobsPerBatch: 1_000, ...oneBatch };
/** As many at a time as `prod` runs: 400 predictions that want a function. */
const thousandInTwenty: Demand = {
  kind: REGION,
  batches: 20,
  jobsPerBatch: 50,
  tenants: 4,
  overSeconds: 60,
};
const inThousands = {
  batches: IN_PEAK_HOUR / 1_000,
  jobsPerBatch: 1_000,
  tenants: TENANTS,
  overSeconds: HOUR,
};
const oneByOne = { ...inThousands, batches: IN_PEAK_HOUR, jobsPerBatch: 1 };

export const SCENARIOS: readonly Scenario[] = [
  { name: '10³ in one batch, `prod`', demand: thousandRegions, setting: PROD },
  {
    name: '10³ in one batch, new account, `dev`',
    demand: thousandRegions,
    setting: settingOf('dev', NEW_ACCOUNT_FUNCTIONS),
  },
  {
    name: '10³ in one batch, new account, `prod`',
    demand: thousandRegions,
    setting: settingOf('prod', NEW_ACCOUNT_FUNCTIONS),
  },
  {
    name: '10³ in 20 batches, new account, `prod`',
    demand: thousandInTwenty,
    setting: settingOf('prod', NEW_ACCOUNT_FUNCTIONS),
  },
  { name: '10⁶: fields, 1 per batch', demand: { ...oneByOne, kind: FIELD }, setting: PROD },
  { name: '10⁶: fields, 1,000 per batch', demand: { ...inThousands, kind: FIELD }, setting: PROD },
  {
    name: '10⁶: regions, 100 × 20 × 20',
    demand: { ...inThousands, kind: REGION },
    setting: UNBOUNDED,
  },
  { name: '10⁶: regions, `prod`', demand: { ...inThousands, kind: REGION }, setting: PROD },
  {
    name: '10⁶: regions, concurrency of 6,000, 125 × 10 × 4',
    demand: { ...inThousands, kind: REGION },
    setting: { ...PROD, accountFunctions: 6_000, inAll: 125, jobs: 10 },
  },
];

/** Tenants that keep `prod` busy for hours with batches of 1,000 regions, and a newcomer's 20 regions. */
export const NEWCOMERS: readonly Scenario[] = [
  { tenants: 1, reserved: PROD.reserved },
  { tenants: 5, reserved: 0 },
  { tenants: 5, reserved: PROD.reserved },
  { tenants: 20, reserved: PROD.reserved },
  { tenants: 40, reserved: PROD.reserved },
].map(({ tenants, reserved }) => ({
  name: `a newcomer beside ${tenants} tenants, ${reserved} reserved`,
  demand: {
    kind: REGION,
    batches: 100,
    jobsPerBatch: 1_000,
    tenants,
    overSeconds: 2 * HOUR,
    newcomer: { jobs: 20, atSeconds: 2 * HOUR },
  },
  setting: { ...PROD, reserved },
}));

/** Those whose course is drawn: the busiest hour of 10⁶ jobs a day. */
export const PLOTTED: readonly Scenario[] = SCENARIOS.filter(
  ({ demand }) => demand.overSeconds === HOUR && demand.kind === REGION,
);
