import { CloudWatchClient, GetMetricStatisticsCommand } from '@aws-sdk/client-cloudwatch';
import { DeleteRolePolicyCommand, IAMClient, PutRolePolicyCommand } from '@aws-sdk/client-iam';
import {
  DeleteFunctionConcurrencyCommand,
  GetFunctionConfigurationCommand,
  InvokeCommand,
  LambdaClient,
  ListEventSourceMappingsCommand,
  PutFunctionConcurrencyCommand,
  paginateListFunctions,
  UpdateEventSourceMappingCommand,
} from '@aws-sdk/client-lambda';
import { ROOT_CREDENTIALS } from '../../../local/emulator/emulator.ts';
import type { ServiceDescription } from '../../../local/service-file.ts';

/** Each change is undone when the result is disposed of. */
export interface Operator {
  /** Invokes the function whose name contains `named`. */
  invoke(
    named: string,
    event: unknown,
  ): Promise<{ readonly failed: boolean; readonly payload: string }>;
  /** Disables the event source mapping of a function. */
  disconnect(named: string): Promise<AsyncDisposable>;
  /** Reserves this concurrency for a function. The reservation also limits the function. */
  limit(named: string, concurrency: number): Promise<AsyncDisposable>;
  /** Reads the number of throttled invocations from CloudWatch. */
  throttlesOf(named: string, since: Date): Promise<number>;
  forbid(named: string, actions: readonly string[]): Promise<AsyncDisposable>;
}

export function createOperator({
  endpoint_url: endpoint,
  region,
}: Pick<ServiceDescription, 'endpoint_url' | 'region'>): Operator {
  const connection = { endpoint, region, credentials: ROOT_CREDENTIALS };
  const lambda = new LambdaClient(connection);
  const iam = new IAMClient(connection);
  const metrics = new CloudWatchClient(connection);

  async function findFunctionName(named: string): Promise<string> {
    for await (const { Functions = [] } of paginateListFunctions({ client: lambda }, {})) {
      const found = Functions.find(({ FunctionName = '' }) => FunctionName.includes(named));
      if (found?.FunctionName !== undefined) return found.FunctionName;
    }
    throw new Error(`no function's name contains ${named}`);
  }

  return {
    async invoke(named, event) {
      const { FunctionError, Payload } = await lambda.send(
        new InvokeCommand({
          FunctionName: await findFunctionName(named),
          Payload: Buffer.from(JSON.stringify(event)),
        }),
      );
      const payload = Buffer.from(Payload ?? []).toString('utf8');
      return { failed: FunctionError !== undefined, payload };
    },
    async disconnect(named) {
      const { EventSourceMappings: [source] = [] } = await lambda.send(
        new ListEventSourceMappingsCommand({ FunctionName: await findFunctionName(named) }),
      );
      const { UUID } = source ?? {};
      await lambda.send(new UpdateEventSourceMappingCommand({ UUID, Enabled: false }));
      return {
        async [Symbol.asyncDispose]() {
          await lambda.send(new UpdateEventSourceMappingCommand({ UUID, Enabled: true }));
        },
      };
    },
    async limit(named, concurrency) {
      const FunctionName = await findFunctionName(named);
      await lambda.send(
        new PutFunctionConcurrencyCommand({
          FunctionName,
          ReservedConcurrentExecutions: concurrency,
        }),
      );
      return {
        async [Symbol.asyncDispose]() {
          await lambda.send(new DeleteFunctionConcurrencyCommand({ FunctionName }));
        },
      };
    },
    async throttlesOf(named, since) {
      const { Datapoints = [] } = await metrics.send(
        new GetMetricStatisticsCommand({
          Namespace: 'AWS/Lambda',
          MetricName: 'Throttles',
          Dimensions: [{ Name: 'FunctionName', Value: await findFunctionName(named) }],
          StartTime: since,
          EndTime: new Date(Date.now() + 60_000),
          Period: 60,
          Statistics: ['Sum'],
        }),
      );
      return Datapoints.reduce((sum, { Sum = 0 }) => sum + Sum, 0);
    },
    async forbid(named, actions) {
      const { Role = '' } = await lambda.send(
        new GetFunctionConfigurationCommand({ FunctionName: await findFunctionName(named) }),
      );
      const policy = { RoleName: Role.split('/').at(-1), PolicyName: 'deny' };
      const Statement = [{ Effect: 'Deny', Action: actions, Resource: '*' }];
      await iam.send(
        new PutRolePolicyCommand({
          ...policy,
          PolicyDocument: JSON.stringify({ Version: '2012-10-17', Statement }),
        }),
      );
      return {
        async [Symbol.asyncDispose]() {
          await iam.send(new DeleteRolePolicyCommand(policy));
        },
      };
    },
  };
}
