import type { Account } from '../../../../bin/preflight/account.ts';
import { checkAccount } from '../../../../bin/preflight/check-account.ts';
import { stageConfig } from '../../../../lib/config/each-stage.ts';
import type { StageConfig } from '../../../../lib/config/stage-config.ts';

/** Alarms notify somebody. */
export const prod: StageConfig = {
  ...stageConfig('prod'),
  alarms: { ...stageConfig('prod').alarms, email: 'ops@example.com' },
};
export const known = <Value>(value: Value) => ({ ok: true, value }) as const;

/** An account with earlier usage and AWS's default quotas. */
const SETTLED: Account = {
  region: 'eu-central-1',
  functions: known({
    concurrency: 1_000,
    reserved: 0,
    busiest: 0,
    codeBytes: 2e9,
    maxCodeBytes: 80_530_636_800,
  }),
  openMapRuns: known(1_000),
  transitions: known(800),
  regionalApis: known(600),
  logRole: known('arn:aws:iam::111122223333:role/apis-log'),
  bootstrap: known(27),
  users: known({ used: 3, quota: 5_000 }),
  forbidden: known([]),
  stacks: known({}),
  alarmTopic: known(null),
  eventBus: known(null),
  boundary: known(null),
  publicKeys: known(null),
};

export const findings = (change: Partial<Account> = {}, config = prod) =>
  new Map(checkAccount(config, { ...SETTLED, ...change }).map((one) => [one.about, one]));
