import { DeleteRolePolicyCommand, IAMClient, PutRolePolicyCommand } from '@aws-sdk/client-iam';
import {
  GetFunctionConfigurationCommand,
  InvokeCommand,
  LambdaClient,
  ListEventSourceMappingsCommand,
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
