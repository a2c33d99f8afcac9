import { pricesIn } from '../../lambdas/domain/cost/prices.ts';
import { LEAST_UNRESERVED, reservedPredictions } from '../../lib/config/capacity.ts';
import { lacksRecipient, outsideRegion } from '../../lib/config/deployable.ts';
import type { StageConfig } from '../../lib/config/stage-config.ts';
import type { Account, Functions } from './account.ts';
import { checkAlarmTopic, checkTopicKey } from './check-alarm-topic.ts';
import { changedValues, fitToQuota, MIN_CONCURRENCY, requiredConcurrency } from './concurrency.ts';
import type { Finding, Verdict } from './finding.ts';
import { ACTIONS_OF_SIGNERS } from './organisation.ts';
import type { ReadResult } from './read-result.ts';

/** The first version of the bootstrap stack with the roles that the CDK assumes. */
const BOOTSTRAP_VERSION = 6;

/** Step Functions: 1,000 per account, not adjustable; each running batch is one. */
const OPEN_MAP_RUNS = 1_000;

/** Checks whether one stage can be deployed to an account and run there. */
export function checkAccount(config: StageConfig, account: Account): readonly Finding[] {
  return [
    of('CDK bootstrap', account.bootstrap, checkBootstrap),
    of('stacks', account.stacks, checkStacks),
    of('Lambda concurrency', account.functions, (functions) =>
      checkConcurrency(config, functions, isDeployed(account)),
    ),
    of('code storage', account.functions, checkCodeStorage),
    of('open map runs', account.openMapRuns, (quota) => checkMapRuns(config, quota)),
    of('state transitions', account.transitions, checkTransitions),
    of('regional APIs', account.regionalApis, checkApis),
    of('API Gateway log role', account.logRole, (role) => checkLogRole(config, role)),
    of('IAM users', account.users, (users) => checkUsers(config, users)),
    of('organisation', account.forbidden, (forbidden) => checkForbidden(config, forbidden)),
    of('event bus', account.eventBus, (exists) =>
      checkExists(config.eventBus, exists, 'EventBridge drops events without an error'),
    ),
    of('boundary', account.boundary, (exists) =>
      checkExists(config.permissionsBoundary, exists, 'no role can be made'),
    ),
    of('CloudFront keys', account.publicKeys, (used) => checkPublicKeys(used, isDeployed(account))),
    { about: 'region', ...checkRegion(config, account.region) },
    { about: 'prices', ...checkPrices(account.region) },
    { about: 'alarm recipients', ...checkRecipients(config) },
    ...checkTopic(config, account),
  ];
}

/** Whether the account already has the stage's functions. */
function isDeployed({ stacks }: Account): boolean {
  return stacks.ok && Object.keys(stacks.value).some((name) => name.endsWith('-Stateless'));
}

function of<Value>(
  about: string,
  result: ReadResult<Value>,
  check: (value: Value) => Verdict,
): Finding {
  if (!result.ok) return { about, verdict: 'unseen', says: result.reason };
  return { about, ...check(result.value) };
}

function checkBootstrap(version: number | null): Verdict {
  if (version === null) {
    return {
      verdict: 'wrong',
      says: 'this account and region are not bootstrapped: npx cdk bootstrap',
    };
  }
  if (version < BOOTSTRAP_VERSION) {
    return {
      verdict: 'wrong',
      says: `version ${version} is older than ${BOOTSTRAP_VERSION}: npx cdk bootstrap`,
    };
  }
  return { verdict: 'fine', says: `version ${version}` };
}

function checkStacks(stacks: Readonly<Record<string, string>>): Verdict {
  const states = Object.entries(stacks);
  const stuck = states.filter(
    ([, status]) => !/^(CREATE|UPDATE|UPDATE_ROLLBACK|IMPORT)_COMPLETE$/.test(status),
  );
  const list = (some: typeof states) => some.map(([name, at]) => `${name} ${at}`).join(', ');
  if (stuck.length > 0) {
    return { verdict: 'wrong', says: `${list(stuck)}: docs/aws.md, "When a deployment fails"` };
  }
  return { verdict: 'fine', says: states.length === 0 ? 'first deployment' : list(states) };
}

/**
 * A first deployment has what others have neither reserved nor used in two weeks. Later that use is also the
 * stage's own, and CloudWatch cannot tell them apart: it is only reported.
 */
function checkConcurrency(
  config: StageConfig,
  { concurrency, reserved, busiest }: Functions,
  isDeployed: boolean,
): Verdict {
  const predictions = reservedPredictions(config);
  const reservedByOthers = isDeployed ? Math.max(0, reserved - predictions) : reserved;
  const unreserved = concurrency - reservedByOthers;
  const quota = isDeployed ? unreserved : Math.max(0, unreserved - busiest);
  const needed = requiredConcurrency(config);
  const others = [
    ...(reservedByOthers === 0 ? [] : [`other functions reserve ${reservedByOthers}`]),
    ...(busiest === 0
      ? []
      : [`${isDeployed ? 'with this stage' : 'others'} up to ${busiest} ran in two weeks`]),
  ];
  const available =
    others.length === 0 ? `${quota}` : `${quota} (of ${concurrency}; ${others.join(', ')})`;
  const refused = predictions > 0 && unreserved - predictions < LEAST_UNRESERVED;
  if (quota >= needed && !refused) {
    return { verdict: 'fine', says: `${available}; the stage uses at most ${needed}` };
  }
  const verdict = refused ? 'wrong' : 'raise';
  const effect = refused
    ? `Lambda refuses to reserve ${predictions} for predictions, because it requires that ${LEAST_UNRESERVED} remain`
    : 'it can be deployed, but the API and other functions are throttled and jobs wait for hours';
  const problem = `${available}; the stage uses up to ${needed}: ${effect}; raise Lambda's "Concurrent executions" (L-B99A9384)`;
  const fitting = fitToQuota(quota, config);
  if (fitting === null) {
    return { verdict, says: `${problem} by at least ${MIN_CONCURRENCY - quota}` };
  }
  const values = changedValues(fitting, config).join(', ');
  return { verdict, says: `${problem}, or set in lib/config/each-stage.ts ${values}` };
}

/** Fraction of the quota. Each deployment adds function versions of about 40 MB and keeps the old ones. */
const MAX_CODE_FRACTION = 0.8;

function checkCodeStorage({ codeBytes, maxCodeBytes }: Functions): Verdict {
  const [used, quota] = [codeBytes, maxCodeBytes].map((bytes) => `${(bytes / 1e9).toFixed(1)} GB`);
  if (codeBytes < MAX_CODE_FRACTION * maxCodeBytes)
    return { verdict: 'fine', says: `${used} of ${quota}` };
  return { verdict: 'raise', says: `${used} of ${quota}: delete old function versions` };
}

function checkMapRuns({ runningBatches: { inAll } }: StageConfig, quota: number | null): Verdict {
  if (quota === null) {
    const usual = `not listed by Service Quotas; usually ${OPEN_MAP_RUNS}`;
    return { verdict: 'fine', says: `${usual}; the stage uses at most ${inAll}` };
  }
  if (quota >= inAll) return { verdict: 'fine', says: `${quota}; the stage uses at most ${inAll}` };
  return { verdict: 'raise', says: `${quota}; the stage runs up to ${inAll} batches at a time` };
}

/** Per second, in all but the three largest regions, which allow 5,000. */
const TRANSITIONS = 800;

function checkTransitions(quota: number | null): Verdict {
  if (quota === null) {
    return {
      verdict: 'fine',
      says: `not listed by Service Quotas; usually ${TRANSITIONS} a second or more, fewer in new accounts`,
    };
  }
  if (quota >= TRANSITIONS) return { verdict: 'fine', says: `${quota} a second` };
  return {
    verdict: 'raise',
    says: `${quota} a second, but most accounts have ${TRANSITIONS}: jobs wait for each other. AWS raises it with use, or on request`,
  };
}

function checkApis(quota: number | null): Verdict {
  if (quota === null)
    return { verdict: 'fine', says: 'not listed by Service Quotas; a stage has 2' };
  if (quota < 2) return { verdict: 'wrong', says: `${quota}; a stage has 2` };
  return { verdict: 'fine', says: `${quota}; a stage has 2` };
}

/** The role has the name of the stack that makes it and stays when the stack is deleted. */
function checkLogRole({ apiLogRole }: StageConfig, role: string | null): Verdict {
  if (apiLogRole === 'keep') {
    return role === null
      ? {
          verdict: 'wrong',
          says: "none, and an API without it writes no access log: the deployment fails. Set apiLogRole to 'set'",
        }
      : { verdict: 'fine', says: `${role} is kept; it must be able to write logs` };
  }
  if (role === null) return { verdict: 'fine', says: 'none; the deployment sets one' };
  if (/:role\/SoilBatch-/.test(role)) return { verdict: 'fine', says: role };
  return {
    verdict: 'replaces',
    says: `${role}: the deployment sets another, with which all APIs of the account and region log from then on. Set apiLogRole to 'keep'`,
  };
}

function checkUsers(
  { results }: StageConfig,
  { used, quota }: { readonly used: number; readonly quota: number },
): Verdict {
  if (results.signer !== 'iam-user') return { verdict: 'fine', says: 'the stage needs none' };
  if (used >= quota)
    return { verdict: 'wrong', says: `${used} of ${quota}; a stage needs one to sign URLs` };
  return { verdict: 'fine', says: `${used} of ${quota}` };
}

function checkForbidden(
  { results: { signer } }: StageConfig,
  forbidden: readonly string[],
): Verdict {
  const of = (one: typeof signer) =>
    ACTIONS_OF_SIGNERS[one].filter((action) => forbidden.includes(action));
  if (of(signer).length === 0) {
    return {
      verdict: 'fine',
      says: `no service control policy is known to forbid results.signer '${signer}'`,
    };
  }
  const other = signer === 'iam-user' ? 'cloudfront' : 'iam-user';
  const remedy =
    of(other).length === 0
      ? `set results.signer to '${other}', or ask for an exception`
      : `ask for an exception: '${other}' is forbidden, too`;
  return {
    verdict: 'wrong',
    says: `a service control policy forbids ${of(signer).join(', ')}: the deployment rolls back. Before the first one ${remedy}`,
  };
}

function checkRegion(config: StageConfig, region: string): Verdict {
  const elsewhere = outsideRegion(config, region);
  if (elsewhere.length === 0)
    return { verdict: 'fine', says: `all configured ARNs are in ${region}` };
  const list = elsewhere.map(({ key, arn }) => `${key} (${arn.split(':')[3]})`).join(', ');
  return { verdict: 'wrong', says: `must be in ${region}, the region of the stage: ${list}` };
}

function checkExists(
  named: string | undefined,
  exists: boolean | null,
  otherwise: string,
): Verdict {
  if (named === undefined || exists === null) return { verdict: 'fine', says: 'none configured' };
  if (exists) return { verdict: 'fine', says: named };
  return { verdict: 'wrong', says: `${named} does not exist: ${otherwise}` };
}

/** CloudFront: 10 public keys in an account, unless raised. A stage has up to four, at its rotation. */
const PUBLIC_KEYS = { quota: 10, ofStage: 4 };

function checkPublicKeys(used: number | null, deployed: boolean): Verdict {
  if (used === null) return { verdict: 'fine', says: 'the stage needs none' };
  const says = `${used} of ${PUBLIC_KEYS.quota} by default; a stage takes up to ${PUBLIC_KEYS.ofStage}`;
  const room = deployed || used + PUBLIC_KEYS.ofStage <= PUBLIC_KEYS.quota;
  return { verdict: room ? 'fine' : 'raise', says };
}

function checkRecipients(config: StageConfig): Verdict {
  const { email, topicArn } = config.alarms;
  const recipient = topicArn ?? email;
  if (recipient !== undefined && recipient !== 'none') return { verdict: 'fine', says: recipient };
  return {
    verdict: lacksRecipient(config) ? 'wrong' : 'fine',
    says: 'none: alarms show only in CloudWatch. Set alarms.email or alarms.topicArn',
  };
}

/** Empty if the configuration names no existing topic. */
function checkTopic({ stage }: StageConfig, { alarmTopic }: Account): readonly Finding[] {
  const about = 'alarm topic';
  if (!alarmTopic.ok) return [{ about, verdict: 'unseen', says: alarmTopic.reason }];
  const { value: topic } = alarmTopic;
  if (topic === null) return [];
  const key = topic.attributes?.key ?? null;
  return [
    { about, ...checkAlarmTopic(stage, topic) },
    ...(key === null
      ? []
      : [of("alarm topic's key", key, (known) => checkTopicKey(stage, topic, known))]),
  ];
}

function checkPrices(region: string): Verdict {
  const { region: used } = pricesIn(region);
  if (used === region) return { verdict: 'fine', says: `estimates use prices of ${region}` };
  return { verdict: 'fine', says: `no prices for ${region}: estimates use prices of ${used}` };
}
