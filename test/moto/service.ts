import { spawn } from 'node:child_process';
import { randomBytes, randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { CreateUserCommand, IAMClient } from '@aws-sdk/client-iam';
import { CreateKeyCommand, KMSClient } from '@aws-sdk/client-kms';
import { CreateBucketCommand, S3Client } from '@aws-sdk/client-s3';
import { CreateSecretCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { CreateStateMachineCommand, SFNClient } from '@aws-sdk/client-sfn';
import {
  CreateQueueCommand,
  DeleteMessageCommand,
  ReceiveMessageCommand,
  SQSClient,
} from '@aws-sdk/client-sqs';
import { routeAt } from '../../lambdas/api/http/routing.ts';
import { NAMED_ROUTES } from '../../lambdas/api/routes.ts';
import { readStageConfig } from '../../lib/config/each-stage.ts';
import { configureClient } from '../../local/emulator/emulator.ts';
import { isObject, type Json, valueAtPath } from '../../local/json.ts';
import { LOCAL_FOLDER } from '../../local/paths.ts';
import { gatewayEvent } from '../support/api/gateway-event.ts';
import type { HttpResponse } from '../support/api/http-response.ts';
import { createStateTable } from '../support/deployed/state-table.ts';
import { synthesiseWith } from '../support/infra/synthesised.ts';
import { type Functions, startFunctions } from './functions.ts';

const REGION = 'us-east-1';
const ACCOUNT = '123456789012';

/**
 * The service on moto: the deployed definition and bundles, with moto's DynamoDB, S3, SQS, KMS and Step
 * Functions.
 */
export interface MotoService extends AsyncDisposable {
  readonly functions: Functions;
  readonly sfn: SFNClient;
  readonly stateMachineArn: string;
  /** Sends a request of the tenant `alpha`, bypassing the authorizer. */
  call(
    path: string,
    options?: { readonly method?: string; readonly body?: string },
  ): Promise<HttpResponse>;
}

export async function startServiceOnMoto(): Promise<MotoService> {
  const functions = await startFunctions();
  const moto = await startMoto(functions.port);
  try {
    return await deployTo(moto, functions);
  } catch (error) {
    moto.stop();
    await functions[Symbol.asyncDispose]();
    throw error;
  }
}

async function deployTo(moto: Moto, functions: Functions): Promise<MotoService> {
  const client = configureClient({ endpointUrl: moto.endpoint, region: REGION });
  const bundled = { 'aws:cdk:bundling-stacks': ['**'] };
  const { app, ofType, text, functions: all } = synthesiseWith(readStageConfig('local'), bundled);

  const known = new Map([
    ['AWS::Region', REGION],
    ['AWS::AccountId', ACCOUNT],
  ]);
  const resolve = (value: Json | undefined): string =>
    text(value).replace(/<([\w:.]+)>/g, (_, name: string) => requireText(known.get(name), name));

  // moto's CloudFormation lacks parts of the stacks, so the resources that functions use are created here from
  // the templates.
  const [table] = ofType('AWS::DynamoDB::Table');
  known.set(String(table?.id), (await createStateTable(moto.endpoint, REGION)).name);
  const s3 = new S3Client(client);
  for (const { id } of ofType('AWS::S3::Bucket')) {
    await s3.send(new CreateBucketCommand({ Bucket: id.toLowerCase() }));
    known.set(id, id.toLowerCase());
  }
  const kms = new KMSClient(client);
  for (const { id } of ofType('AWS::KMS::Key')) {
    const { KeyMetadata } = await kms.send(new CreateKeyCommand({}));
    known.set(`${id}.Arn`, requireText(KeyMetadata?.Arn, id));
  }
  const secrets = new SecretsManagerClient(client);
  for (const { id, properties } of ofType('AWS::SecretsManager::Secret')) {
    const generated = properties['GenerateSecretString'] !== undefined;
    const value = generated ? { SecretString: randomBytes(32).toString('hex') } : {};
    const { ARN } = await secrets.send(new CreateSecretCommand({ Name: id, ...value }));
    known.set(id, requireText(ARN, id));
  }
  for (const { id } of ofType('AWS::IAM::User')) {
    await new IAMClient(client).send(new CreateUserCommand({ UserName: id }));
    known.set(id, id);
  }
  const sqs = new SQSClient(client);
  for (const { id, properties } of ofType('AWS::SQS::Queue')) {
    const VisibilityTimeout = String(properties['VisibilityTimeout'] ?? 30);
    const queue = { QueueName: id, Attributes: { VisibilityTimeout } };
    known.set(id, requireText((await sqs.send(new CreateQueueCommand(queue))).QueueUrl, id));
  }

  const [machine] = ofType('AWS::StepFunctions::StateMachine');
  const name = resolve(machine?.properties['StateMachineName']);
  const stateMachineArn = `arn:aws:states:${REGION}:${ACCOUNT}:stateMachine:${name}`;
  known.set(String(machine?.id), stateMachineArn);

  const templates = ofType('AWS::Lambda::Function');
  for (const fn of all) {
    const id = fn.stack.getLogicalId(fn.node.defaultChild as never);
    const properties = templates.find((one) => one.id === id)?.properties;
    const variables = valueAtPath(properties, 'Environment', 'Variables');
    const environment = Object.entries(isObject(variables) ? variables : {});
    const asset = String(valueAtPath(properties, 'Code', 'S3Key')).replace('.zip', '');
    known.set(id, fn.handlerFile);
    functions.deploy(fn.handlerFile, {
      folder: join(app.outdir, `asset.${asset}`),
      timeoutSeconds: Number(properties?.['Timeout']),
      environment: {
        ...Object.fromEntries(environment.map(([key, value]) => [key, resolve(value)])),
        AWS_REGION: REGION,
        AWS_ENDPOINT_URL: moto.endpoint,
        AWS_ACCESS_KEY_ID: client.credentials.accessKeyId,
        AWS_SECRET_ACCESS_KEY: client.credentials.secretAccessKey,
      },
    });
  }
  for (const { id, properties } of ofType('AWS::Lambda::Version')) {
    const fn = resolve(properties['FunctionName']);
    known.set(id, `arn:aws:lambda:${REGION}:${ACCOUNT}:function:${fn}`);
  }
  const sfn = new SFNClient(client);
  // moto accepts only a number with a decimal point; the Amazon States Language accepts any number from 0 to
  // 100.
  const definition = resolve(machine?.properties['DefinitionString']).replace(
    /("ToleratedFailurePercentage":\d+)(?=[,}])/g,
    '$1.0',
  );
  const roleArn = `arn:aws:iam::${ACCOUNT}:role/batches`;
  await sfn.send(new CreateStateMachineCommand({ name, definition, roleArn }));
  const first = { RequestType: 'Create', RequestId: randomUUID() };
  const key = await functions.invoke('signing-key/first-key', first);
  if (key.failed) throw new Error(JSON.stringify(key.payload));

  const [mapping] = ofType('AWS::Lambda::EventSourceMapping');
  const queue = text(mapping?.properties['EventSourceArn']).slice('<'.length, -'.Arn>'.length);
  const stopDelivering = deliverMessages(sqs, requireText(known.get(queue), queue), functions);

  return {
    functions,
    sfn,
    stateMachineArn,
    async call(path, { body, method = body === undefined ? 'GET' : 'POST' } = {}) {
      const [pathname = '', query] = path.split('?');
      const handler = routeAt(NAMED_ROUTES, pathname, method)?.route.handler ?? 'open';
      const event = gatewayEvent({
        method,
        path: pathname,
        query: Object.fromEntries(new URLSearchParams(query)),
        ...(body === undefined ? {} : { body }),
      });
      const { failed, payload } = await functions.invoke(`api/functions/${handler}`, event);
      if (failed) throw new Error(JSON.stringify(payload));
      return toResponse(payload as GatewayResult);
    },
    async [Symbol.asyncDispose]() {
      await stopDelivering();
      moto.stop();
      await functions[Symbol.asyncDispose]();
    },
  };
}

interface GatewayResult {
  readonly statusCode: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly isBase64Encoded?: boolean;
}

function toResponse({ statusCode, headers, body, isBase64Encoded }: GatewayResult): HttpResponse {
  const text = Buffer.from(body, isBase64Encoded === true ? 'base64' : 'utf8').toString();
  return { status: statusCode, headers: new Headers(headers), text, json: JSON.parse(text) };
}

interface Moto {
  readonly endpoint: string;
  stop(): void;
}

/** @param functionsPort moto's Step Functions looks for Lambda on the port that `MOTO_PORT` names */
async function startMoto(functionsPort: number): Promise<Moto> {
  const child = spawn(join(LOCAL_FOLDER, 'venv', 'bin', 'moto_server'), ['--port', '0'], {
    env: { ...process.env, MOTO_PORT: String(functionsPort), AWS_DEFAULT_REGION: REGION },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const lines: string[] = [];
  // moto reports every request, and would wait if nobody read its output.
  const endpoint = await new Promise<string>((found, fail) => {
    createInterface({ input: child.stderr }).on('line', (line) => {
      const address = /Running on (http:\S+)/.exec(line)?.[1];
      if (address === undefined) lines.push(line);
      else found(address);
    });
    child.once('exit', () => fail(new Error(`moto did not start:\n${lines.join('\n')}`)));
  });
  const config = { stepfunctions: { execute_state_machine: true } };
  await fetch(`${endpoint}/moto-api/config`, { method: 'POST', body: JSON.stringify(config) });
  return { endpoint, stop: () => child.kill('SIGKILL') };
}

/** Acts as the event source mapping of the webhooks' queue. */
function deliverMessages(sqs: SQSClient, QueueUrl: string, functions: Functions) {
  let stopped = false;
  async function poll(): Promise<void> {
    while (!stopped) {
      const { Messages = [] } = await sqs.send(
        new ReceiveMessageCommand({
          QueueUrl,
          WaitTimeSeconds: 1,
          MessageSystemAttributeNames: ['All'],
        }),
      );
      for (const { Body: body, Attributes: attributes, ReceiptHandle } of Messages) {
        const event = { Records: [{ body, attributes }] };
        const { failed } = await functions.invoke('webhooks/deliver-webhook', event);
        if (!failed) await sqs.send(new DeleteMessageCommand({ QueueUrl, ReceiptHandle }));
      }
    }
  }
  const polling = poll();
  return () => {
    stopped = true;
    return polling;
  };
}

function requireText(value: string | undefined, of: string): string {
  if (value === undefined) throw new Error(`${of} has no value`);
  return value;
}
