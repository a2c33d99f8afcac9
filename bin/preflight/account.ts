import type { StageConfig } from '../../lib/config/stage-config.ts';
import type { Connection } from '../operator/stage-table.ts';
import { type AlarmTopic, readAlarmTopic } from './alarm-topic.ts';
import { readBootstrap } from './bootstrap.ts';
import { type DomainCertificate, readCertificates } from './certificates.ts';
import { type Functions, readFunctions } from './functions.ts';
import { readLogRole } from './log-role.ts';
import { readBoundary, readEventBus, readWebAcl } from './named-resources.ts';
import { readForbidden } from './organisation.ts';
import { type ReadResult, tryRead } from './read-result.ts';
import { type QuotaUses, readQuotaUses } from './resource-quotas.ts';
import { readMapRuns, readTransitions } from './service-quotas.ts';
import { readResources, readStacks, type StackStates } from './stage-stacks.ts';

/** State of an account and a region before the service is deployed there. */
export interface Account {
  readonly region: string;
  readonly functions: ReadResult<Functions>;
  /** Null if Service Quotas does not list it. */
  readonly openMapRuns: ReadResult<number | null>;
  /** Of STANDARD state machines, per second. */
  readonly transitions: ReadResult<number | null>;
  readonly quotaUses: QuotaUses;
  /** The role with which API Gateway logs for all APIs of the account and region; null if none is set. */
  readonly logRole: ReadResult<string | null>;
  /** Version of the CDK's bootstrap stack; null if there is none. */
  readonly bootstrap: ReadResult<number | null>;
  /** Actions that the deployment needs and a service control policy forbids, as far as IAM can tell. */
  readonly forbidden: ReadResult<readonly string[]>;
  readonly stacks: ReadResult<StackStates>;
  /** The topic that the configuration names; null if it names none. */
  readonly alarmTopic: ReadResult<AlarmTopic | null>;
  /** Whether the event bus, the boundary and the web ACL of the configuration exist; null if it names none. */
  readonly eventBus: ReadResult<boolean | null>;
  readonly boundary: ReadResult<boolean | null>;
  readonly webAcl: ReadResult<boolean | null>;
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
