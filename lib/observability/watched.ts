import { Duration, Fn, Lazy, Stack } from 'aws-cdk-lib';
import type { RestApi } from 'aws-cdk-lib/aws-apigateway';
import { Metric, type MetricOptions } from 'aws-cdk-lib/aws-cloudwatch';
import { type ILogGroup, LogGroup } from 'aws-cdk-lib/aws-logs';
import { type IQueue, Queue } from 'aws-cdk-lib/aws-sqs';
import { StringListParameter } from 'aws-cdk-lib/aws-ssm';
import { type IStateMachine, StateMachine } from 'aws-cdk-lib/aws-stepfunctions';
import { Construct } from 'constructs';
import {
  type DescribedMetric,
  METRICS,
  type MetricName,
  NAMESPACE,
  type ValueOf,
} from '../../lambdas/observability/metric-catalogue.ts';
import type { StageConfig } from '../config/stage-config.ts';
import { nameMetricsService, type ServiceFunction } from '../service-function.ts';
import type { Foundation } from '../stateful-stack.ts';
import type { StatelessStack } from '../stateless-stack.ts';

export interface Watched extends Pick<Foundation, 'config' | 'storage'> {
  readonly api: {
    readonly v1: RestApi;
    readonly v2: RestApi;
    readonly functions: readonly WatchedFunction[];
    readonly authorizer: WatchedFunction;
    readonly accessLogs: readonly ILogGroup[];
  };
  readonly pipeline: {
    readonly steps: readonly WatchedFunction[];
    readonly batches: IStateMachine;
  };
  readonly webhooks: {
    readonly deliver: WatchedFunction;
    readonly queue: IQueue;
    readonly deadLetterQueue: IQueue;
  };
  readonly reconciler: WatchedFunction;
  readonly signingKey: { readonly functions: readonly WatchedFunction[] };
}

export function listFunctions(watched: Watched): readonly WatchedFunction[] {
  const { api, pipeline, webhooks, reconciler, signingKey } = watched;
  return [
    ...api.functions,
    ...pipeline.steps,
    webhooks.deliver,
    reconciler,
    ...signingKey.functions,
  ];
}

export interface WatchedFunction {
  readonly id: string;
  readonly logGroup: ILogGroup;
  /** Returns one of Lambda's metrics; the statistic is `Sum` by default. */
  metric(name: LambdaMetric, options: MetricOptions): Metric;
}

type LambdaMetric = 'Invocations' | 'Errors' | 'Throttles' | 'Duration' | 'ConcurrentExecutions';

export interface WatchedStackProps {
  readonly foundation: Foundation;
  readonly service: StatelessStack;
}

/**
 * Finds the stateless stack's resources by names in SSM parameters. An export that is in use would block the removal of
 * the resource until the other stack and its alarms are deleted. The names of the APIs need no parameter, because they
 * are known at synthesis.
 */
export function findWatched(
  scope: Construct,
  { foundation: { config, storage }, service }: WatchedStackProps,
): Watched {
  const { api, pipeline, webhooks, reconciler, signingKey } = service;
  const createNameList = (id: string) =>
    new NameList(service, id, { reader: scope, parameter: `/soil-batch/${config.stage}/${id}` });
  const [functions, logGroups, others] = [
    createNameList('functions'),
    createNameList('log-groups'),
    createNameList('others'),
  ];
  const logGroup = ({ node, logGroupName }: ILogGroup) =>
    LogGroup.fromLogGroupName(scope, node.id, logGroups.pass(logGroupName));
  const known = new Map<ServiceFunction, WatchedFunction>();
  const importFunction = (fn: ServiceFunction) => {
    const found =
      known.get(fn) ?? watchedFunction(fn, functions.pass(fn.functionName), logGroup(fn.logGroup));
    known.set(fn, found);
    return found;
  };
  const queue = ({ node, queueName }: IQueue) => {
    const name = others.pass(queueName);
    const queueArn = Stack.of(scope).formatArn({ service: 'sqs', resource: name });
    return Queue.fromQueueAttributes(scope, node.id, { queueArn, queueName: name });
  };
  return {
    config,
    storage,
    api: {
      v1: api.v1,
      v2: api.v2,
      functions: api.functions.map(importFunction),
      authorizer: importFunction(api.authorizer),
      accessLogs: api.accessLogs.map(logGroup),
    },
    pipeline: {
      steps: pipeline.steps.map(importFunction),
      batches: StateMachine.fromStateMachineArn(
        scope,
        'Batches',
        others.pass(pipeline.batches.stateMachineArn),
      ),
    },
    webhooks: {
      deliver: importFunction(webhooks.deliver),
      queue: queue(webhooks.queue),
      deadLetterQueue: queue(webhooks.deadLetterQueue),
    },
    reconciler: importFunction(reconciler.reconcile),
    signingKey: { functions: signingKey.functions.map(importFunction) },
  };
}

function watchedFunction(
  { node: { id } }: ServiceFunction,
  FunctionName: string,
  logGroup: ILogGroup,
): WatchedFunction {
  const metric: WatchedFunction['metric'] = (metricName, options) =>
    new Metric({
      namespace: 'AWS/Lambda',
      metricName,
      dimensionsMap: { FunctionName },
      statistic: 'Sum',
      ...options,
    });
  return { id, logGroup, metric };
}

interface NameListProps {
  readonly reader: Construct;
  /** The name of the list in SSM, whose value is limited to 4 KB. */
  readonly parameter: string;
}

class NameList extends Construct {
  private readonly names: string[] = [];
  private readonly read: string[];

  constructor(scope: Construct, id: string, { reader, parameter: parameterName }: NameListProps) {
    super(scope, id);
    new StringListParameter(this, 'Names', {
      parameterName,
      stringListValue: Lazy.list({ produce: () => this.names }),
    });
    this.read = StringListParameter.valueForTypedListParameter(reader, parameterName);
  }

  /** @returns the name, for the reader */
  pass(name: string): string {
    return Fn.select(this.names.push(name) - 1, this.read);
  }
}

export function serviceMetric<Name extends MetricName>(
  config: Pick<StageConfig, 'stage'>,
  name: Name,
  options: MetricOptions,
  ...[kind]: ValueOf<Name> extends never ? [] : [kind: ValueOf<Name>]
): Metric {
  const { dimension }: DescribedMetric = METRICS[name];
  return new Metric({
    namespace: NAMESPACE,
    metricName: name,
    period: Duration.minutes(1),
    dimensionsMap: {
      service: nameMetricsService(config),
      ...(dimension === undefined || kind === undefined ? {} : { [dimension]: kind }),
    },
    ...options,
  });
}
