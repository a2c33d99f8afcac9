import { type Account, checkAccount } from '../../../../bin/preflight/account.ts';
import { LIMITED, type QuotaUse } from '../../../../bin/preflight/quotas/resource-quotas.ts';
import { stageConfig } from '../../../../lib/config/each-stage.ts';
import type { StageConfig } from '../../../../lib/config/stage-config.ts';

/** Alarms notify somebody. */
export const prod: StageConfig = {
  ...stageConfig('prod'),
  alarms: { ...stageConfig('prod').alarms, email: 'ops@example.com' },
};
export const known = <Value>(value: Value) => ({ ok: true, value }) as const;

/** Quotas with room for what the stage makes. */
export const quotaUsesOf = (config: StageConfig, change: Partial<QuotaUse> = {}) =>
  LIMITED.filter((limited) => limited.in(config)).map((limited) => ({
    limited,
    use: known({ used: 3, own: 0, quota: 5_000, byDefault: false, ...change }),
  }));

/** An account with earlier usage and AWS's default quotas. */
const SETTLED: Account = {
  region: 'eu-central-1',
  functions: known({
    concurrency: 1_000,
    reserved: 0,
    ownReserved: null,
    busiest: 0,
    codeBytes: 2e9,
    maxCodeBytes: 80_530_636_800,
  }),
  openMapRuns: known(1_000),
  transitions: known(800),
  quotaUses: quotaUsesOf(prod),
  logRole: known('arn:aws:iam::111122223333:role/apis-log'),
  bootstrap: known(27),
  forbidden: known([]),
  stacks: known({}),
  alarmTopic: known(null),
  eventBus: known(null),
  boundary: known(null),
  webAcl: known(null),
  certificates: [],
};

export const findings = (change: Partial<Account> = {}, config = prod) =>
  new Map(checkAccount(config, { ...SETTLED, ...change }).map((one) => [one.about, one]));
