import { pricesIn } from '../../lambdas/domain/cost/prices.ts';
import { outsideRegion } from '../../lib/config/own-region.ts';
import type { StageConfig } from '../../lib/config/stage-config.ts';
import type { Account, Functions } from './account.ts';
import { changesTo, FEWEST_FUNCTIONS, fittingTo, functionsAtOnce } from './concurrency.ts';
import { judgeAlarmTopic, judgeTopicKey } from './judge-alarm-topic.ts';
import type { Judgement, Verdict } from './judgement.ts';
import type { Seen } from './seen.ts';

/** Bootstrap stacks from here on have the roles that today's CDK assumes. */
const BOOTSTRAP_VERSION = 6;

/** Step Functions: 1,000 an account, never more; each running batch is one. */
const OPEN_MAP_RUNS = 1_000;

/** Judges what was seen of an account for one stage; the most serious need no more than reading. */
export function judge(config: StageConfig, account: Account): readonly Judgement[] {
  return [
    of('CDK bootstrap', account.bootstrap, judgeBootstrap),
    of('stacks', account.stacks, judgeStacks),
    of('functions at once', account.functions, (functions) => judgeConcurrency(config, functions)),
    of('code storage', account.functions, judgeCodeStorage),
    of('open map runs', account.openMapRuns, (quota) => judgeMapRuns(config, quota)),
    of('state transitions', account.transitions, judgeTransitions),
    of('regional APIs', account.regionalApis, judgeApis),
    of('IAM users', account.users, judgeUsers),
    { about: 'region', ...judgeRegion(config, account.region) },
    { about: 'prices', ...judgePrices(account.region) },
    { about: 'alarm recipients', ...judgeRecipients(config) },
    ...judgeTopic(config, account),
  ];
}

function of<Fact>(about: string, seen: Seen<Fact>, judgement: (fact: Fact) => Verdict): Judgement {
  if (!seen.seen) return { about, verdict: 'unseen', says: seen.why };
  return { about, ...judgement(seen.fact) };
}

function judgeBootstrap(version: number | null): Verdict {
  if (version === null) {
    return {
      verdict: 'wrong',
      says: 'there is none in this account and region: npx cdk bootstrap',
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

function judgeStacks(stacks: Readonly<Record<string, string>>): Verdict {
  const states = Object.entries(stacks);
  const stuck = states.filter(
    ([, status]) => !/^(CREATE|UPDATE|UPDATE_ROLLBACK|IMPORT)_COMPLETE$/.test(status),
  );
  const told = (some: typeof states) => some.map(([name, at]) => `${name} ${at}`).join(', ');
  if (stuck.length > 0) {
    return { verdict: 'wrong', says: `${told(stuck)}: docs/aws.md, "When a deployment fails"` };
  }
  return { verdict: 'fine', says: states.length === 0 ? 'a first deployment' : told(states) };
}

/** No concurrency is reserved, so the stage deploys with any quota: Lambda keeps what is unreserved. */
function judgeConcurrency(config: StageConfig, { concurrency, reserved }: Functions): Verdict {
  const quota = concurrency - reserved;
  const wanted = functionsAtOnce(config);
  const seen = reserved === 0 ? `${quota}` : `${quota} of ${concurrency} not reserved by others`;
  if (quota >= wanted) {
    return { verdict: 'fine', says: `${seen}, of which the stage uses ${wanted} at most` };
  }
  const raise = 'raise Lambda\'s "Concurrent executions" (L-B99A9384)';
  const problem = `${seen}, but the stage uses up to ${wanted}: it deploys, but the API refuses requests and jobs wait for hours`;
  const fitting = fittingTo(quota, config);
  if (fitting === null) {
    return {
      verdict: 'raise',
      says: `${problem}; ${raise}: fewer than ${FEWEST_FUNCTIONS} are too few`,
    };
  }
  const values = changesTo(fitting, config).join(', ');
  return {
    verdict: 'raise',
    says: `${problem}; ${raise}, or set in lib/config/each-stage.ts ${values}`,
  };
}

/** A deployment keeps the versions of those before it, some 40 MB each time. */
const CODE_SHARE = 0.8;

function judgeCodeStorage({ codeBytes, maxCodeBytes }: Functions): Verdict {
  const [used, quota] = [codeBytes, maxCodeBytes].map((bytes) => `${(bytes / 1e9).toFixed(1)} GB`);
  if (codeBytes < CODE_SHARE * maxCodeBytes)
    return { verdict: 'fine', says: `${used} of ${quota}` };
  return { verdict: 'raise', says: `${used} of ${quota}: delete old function versions` };
}

function judgeMapRuns({ runningBatches: { inAll } }: StageConfig, quota: number | null): Verdict {
  if (quota === null) {
    const usual = `not listed by Service Quotas; ${OPEN_MAP_RUNS} unless AWS lowered it`;
    return { verdict: 'fine', says: `${usual}, of which the stage uses ${inAll}` };
  }
  if (quota >= inAll) return { verdict: 'fine', says: `the stage uses ${inAll} of ${quota}` };
  return { verdict: 'raise', says: `${quota}, but ${inAll} batches may run at a time` };
}

/** A second, in all but the three largest regions, which allow 5,000. */
const TRANSITIONS = 800;

function judgeTransitions(quota: number | null): Verdict {
  if (quota === null) {
    return {
      verdict: 'fine',
      says: `not listed by Service Quotas; usually ${TRANSITIONS} a second and more, fewer in new accounts`,
    };
  }
  if (quota >= TRANSITIONS) return { verdict: 'fine', says: `${quota} a second` };
  return {
    verdict: 'raise',
    says: `${quota} a second, where most accounts have ${TRANSITIONS}: jobs wait for each other. AWS raises it with use, or on request`,
  };
}

function judgeApis(quota: number | null): Verdict {
  if (quota === null)
    return { verdict: 'fine', says: 'not listed by Service Quotas; a stage makes 2' };
  if (quota < 2) return { verdict: 'wrong', says: `${quota}; a stage makes 2` };
  return { verdict: 'fine', says: `a stage makes 2 of ${quota}` };
}

function judgeUsers({ used, quota }: { used: number; quota: number }): Verdict {
  if (used >= quota)
    return { verdict: 'wrong', says: `${used} of ${quota}; results are signed by one` };
  return {
    verdict: 'fine',
    says: `${used} of ${quota}; whether an organisation's policy forbids them shows at the deployment`,
  };
}

function judgeRegion(config: StageConfig, region: string): Verdict {
  const astray = outsideRegion(config, region);
  if (astray.length === 0)
    return { verdict: 'fine', says: `nothing is named that is not of ${region}` };
  const told = astray.map(({ key, arn }) => `${key} (${arn.split(':')[3]})`).join(', ');
  return { verdict: 'wrong', says: `not of ${region}, where the stage is deployed: ${told}` };
}

function judgeRecipients({ alarms: { email, topicArn } }: StageConfig): Verdict {
  const nobody = 'nobody: they are seen in CloudWatch only. Set alarms.email or alarms.topicArn';
  return { verdict: 'fine', says: topicArn ?? email ?? nobody };
}

/** Nothing where the configuration names no existing topic. */
function judgeTopic({ stage }: StageConfig, { alarmTopic }: Account): readonly Judgement[] {
  const about = 'alarm topic';
  if (!alarmTopic.seen) return [{ about, verdict: 'unseen', says: alarmTopic.why }];
  const { fact: topic } = alarmTopic;
  if (topic === null) return [];
  const key = topic.attributes?.key ?? null;
  return [
    { about, ...judgeAlarmTopic(stage, topic) },
    ...(key === null
      ? []
      : [of("alarm topic's key", key, (found) => judgeTopicKey(stage, topic, found))]),
  ];
}

function judgePrices(region: string): Verdict {
  const { region: used } = pricesIn(region);
  if (used === region) return { verdict: 'fine', says: `estimates use those of ${region}` };
  return { verdict: 'fine', says: `${region} is not in the table: estimates use those of ${used}` };
}
