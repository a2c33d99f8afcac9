import { pricesIn } from '../../lambdas/domain/cost/prices.ts';
import { lacksRecipient, outsideRegion } from '../../lib/config/deployable.ts';
import type { StageConfig } from '../../lib/config/stage-config.ts';
import type { Connection } from '../operator/stage-table.ts';
import { type AlarmTopic, checkAlarmTopic, checkTopicKey, readAlarmTopic } from './alarm-topic.ts';
import { type Attempt, tryRead } from './attempt.ts';
import { checkBootstrap, readBootstrap } from './bootstrap.ts';
import { checkCertificate, type DomainCertificate, readCertificates } from './certificates.ts';
import { type Finding, findingOf, type Verdict } from './finding.ts';
import { checkLogRole, readLogRole } from './log-role.ts';
import { checkExists, readBoundary, readEventBus, readWebAcl } from './named-resources.ts';
import { checkForbidden, readForbidden } from './organisation.ts';
import { checkConcurrency } from './quotas/concurrency.ts';
import { checkCodeStorage, type Functions, readFunctions } from './quotas/functions.ts';
import { checkQuotaUse, type QuotaUses, readQuotaUses } from './quotas/resource-quotas.ts';
import {
  checkMapRuns,
  checkTransitions,
  readMapRuns,
  readTransitions,
} from './quotas/service-quotas.ts';
import { checkStacks, readResources, readStacks, type StackStates } from './stage-stacks.ts';

/** State of an account and a region before the service is deployed there. */
export interface Account {
  readonly region: string;
  readonly functions: Attempt<Functions>;
  /** Null if Service Quotas does not list it. */
  readonly openMapRuns: Attempt<number | null>;
  /** Of STANDARD state machines, per second. */
  readonly transitions: Attempt<number | null>;
  readonly quotaUses: QuotaUses;
  /** The role with which API Gateway logs for all APIs of the account and region; null if none is set. */
  readonly logRole: Attempt<string | null>;
  /** Version of the CDK's bootstrap stack; null if there is none. */
  readonly bootstrap: Attempt<number | null>;
  /** Actions that the deployment needs and a service control policy forbids, as far as IAM can tell. */
  readonly forbidden: Attempt<readonly string[]>;
  readonly stacks: Attempt<StackStates>;
  /** The topic that the configuration names; null if it names none. */
  readonly alarmTopic: Attempt<AlarmTopic | null>;
  /** Whether the event bus, the boundary and the web ACL of the configuration exist; null if it names none. */
  readonly eventBus: Attempt<boolean | null>;
  readonly boundary: Attempt<boolean | null>;
  readonly webAcl: Attempt<boolean | null>;
  readonly certificates: readonly DomainCertificate[];
}

/** Reads only. */
export async function readAccount(
  stageConnection: Connection,
  region: string,
  config: StageConfig,
): Promise<Account> {
  const { stage, alarms } = config;
  const connection = { ...stageConnection, region };
  const states = readStacks(connection, stage);
  const resources = states.then((found) => readResources(connection, found));
  const [
    functions,
    quotaUses,
    logRole,
    openMapRuns,
    transitions,
    bootstrap,
    forbidden,
    stacks,
    alarmTopic,
    eventBus,
    boundary,
    webAcl,
    certificates,
  ] = await Promise.all([
    tryRead(async () => readFunctions(connection, await resources)),
    readQuotaUses(connection, config, resources),
    tryRead(() => readLogRole(connection)),
    tryRead(() => readMapRuns(connection)),
    tryRead(() => readTransitions(connection)),
    tryRead(() => readBootstrap(connection)),
    tryRead(() => readForbidden(connection)),
    tryRead(() => states),
    tryRead(() => readAlarmTopic(connection, alarms.topicArn)),
    tryRead(() => readEventBus(connection, config)),
    tryRead(() => readBoundary(connection, config)),
    tryRead(() => readWebAcl(connection, config)),
    readCertificates(connection, config),
  ]);
  const quotas = { functions, openMapRuns, transitions, quotaUses };
  const named = { alarmTopic, eventBus, boundary, webAcl, certificates };
  return { region, ...quotas, logRole, bootstrap, forbidden, stacks, ...named };
}

/** Checks whether one stage can be deployed to an account and run there. */
export function checkAccount(config: StageConfig, account: Account): readonly Finding[] {
  const { eventBus, permissionsBoundary, results } = config;
  return [
    findingOf('CDK bootstrap', account.bootstrap, checkBootstrap),
    findingOf('stacks', account.stacks, checkStacks),
    findingOf('Lambda concurrency', account.functions, (functions) =>
      checkConcurrency(config, functions),
    ),
    findingOf('code storage', account.functions, checkCodeStorage),
    findingOf('open map runs', account.openMapRuns, (quota) => checkMapRuns(config, quota)),
    findingOf('state transitions', account.transitions, checkTransitions),
    ...account.quotaUses.map(({ limited, use }) =>
      findingOf(limited.about, use, (found) => checkQuotaUse(limited, found)),
    ),
    findingOf('API Gateway log role', account.logRole, (role) => checkLogRole(config, role)),
    findingOf('organisation', account.forbidden, (forbidden) => checkForbidden(config, forbidden)),
    findingOf('event bus', account.eventBus, (exists) =>
      checkExists(eventBus, exists, 'EventBridge drops events without an error'),
    ),
    findingOf('boundary', account.boundary, (exists) =>
      checkExists(permissionsBoundary, exists, 'no role can be made'),
    ),
    findingOf('web ACL of results', account.webAcl, (exists) =>
      checkExists(results.webAclArn, exists, 'the distribution cannot be made'),
    ),
    ...account.certificates.map((named) =>
      findingOf(`certificate of ${named.of}`, named.certificate, (certificate) =>
        checkCertificate(named, certificate),
      ),
    ),
    { about: 'region', ...checkRegion(config, account.region) },
    { about: 'prices', ...checkPrices(account.region) },
    { about: 'alarm recipients', ...checkRecipients(config) },
    ...checkTopic(config, account),
  ];
}

function checkRegion(config: StageConfig, region: string): Verdict {
  const elsewhere = outsideRegion(config, region);
  if (elsewhere.length === 0)
    return { verdict: 'fine', says: `all configured ARNs are in ${region}` };
  const list = elsewhere.map(({ key, arn }) => `${key} (${arn.split(':')[3]})`).join(', ');
  return { verdict: 'wrong', says: `must be in ${region}, the region of the stage: ${list}` };
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
      : [findingOf("alarm topic's key", key, (known) => checkTopicKey(stage, topic, known))]),
  ];
}

function checkPrices(region: string): Verdict {
  const { region: used } = pricesIn(region);
  if (used === region) return { verdict: 'fine', says: `estimates use prices of ${region}` };
  return { verdict: 'fine', says: `no prices for ${region}: estimates use prices of ${used}` };
}
