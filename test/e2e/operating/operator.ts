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

/** What an operator can do to a deployed stage, good and bad. */
export interface Operator {
  /** Calls a function by what its name ends with, as the stack names it. */
  invoke(
    named: string,
    event: unknown,
  ): Promise<{ readonly failed: boolean; readonly answer: string }>;
  /** Keeps a function from being handed messages until the answer is disposed of. */
  disconnect(named: string): Promise<AsyncDisposable>;
  /** Lets so many of a function run at a time until the answer is disposed of. */
  limit(named: string, atOnce: number): Promise<AsyncDisposable>;
  /** How often a function was refused for that since then, as CloudWatch counted. */
  throttlesOf(named: string, since: Date): Promise<number>;
  /** Takes actions away from a function until the answer is disposed of. */
  forbid(named: string, actions: readonly string[]): Promise<AsyncDisposable>;
}

export function operatorOf({
  endpoint_url: endpoint,
  region,
}: Pick<ServiceDescription, 'endpoint_url' | 'region'>): Operator {
  const place = { endpoint, region, credentials: ROOT_CREDENTIALS };
  const lambda = new LambdaClient(place);
  const iam = new IAMClient(place);
  const metrics = new CloudWatchClient(place);

  async function nameOf(named: string): Promise<string> {
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
          FunctionName: await nameOf(named),
          Payload: Buffer.from(JSON.stringify(event)),
        }),
      );
      const answer = Buffer.from(Payload ?? []).toString('utf8');
      return { failed: FunctionError !== undefined, answer };
    },
    async disconnect(named) {
      const { EventSourceMappings: [source] = [] } = await lambda.send(
        new ListEventSourceMappingsCommand({ FunctionName: await nameOf(named) }),
      );
      const { UUID } = source ?? {};
      await lambda.send(new UpdateEventSourceMappingCommand({ UUID, Enabled: false }));
      return {
        async [Symbol.asyncDispose]() {
          await lambda.send(new UpdateEventSourceMappingCommand({ UUID, Enabled: true }));
        },
      };
    },
    async limit(named, atOnce) {
      const FunctionName = await nameOf(named);
      await lambda.send(
        new PutFunctionConcurrencyCommand({ FunctionName, ReservedConcurrentExecutions: atOnce }),
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
          Dimensions: [{ Name: 'FunctionName', Value: await nameOf(named) }],
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
        new GetFunctionConfigurationCommand({ FunctionName: await nameOf(named) }),
      );
      const policy = { RoleName: Role.split('/').at(-1), PolicyName: 'taken-away' };
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
