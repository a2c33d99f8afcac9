import { pricesIn } from '../../lambdas/domain/cost/prices.ts';
import { lacksRecipient, outsideRegion } from '../../lib/config/deployable.ts';
import type { StageConfig } from '../../lib/config/stage-config.ts';
import type { Account } from './account.ts';
import { checkBootstrap } from './bootstrap.ts';
import { checkCertificate } from './certificates.ts';
import { checkAlarmTopic, checkTopicKey } from './check-alarm-topic.ts';
import { type Finding, findingOf, type Verdict } from './finding.ts';
import { checkCodeStorage, checkConcurrency } from './functions.ts';
import { checkLogRole } from './log-role.ts';
import { checkExists } from './named-resources.ts';
import { checkForbidden } from './organisation.ts';
import { checkQuotaUse } from './resource-quotas.ts';
import { checkMapRuns, checkTransitions } from './service-quotas.ts';
import { checkStacks } from './stage-stacks.ts';

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
