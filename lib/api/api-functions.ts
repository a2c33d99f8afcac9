import { Duration } from 'aws-cdk-lib';
import type { StateMachine } from 'aws-cdk-lib/aws-stepfunctions';
import type { Construct } from 'constructs';
import { type HandlerFile, OPERATIONS } from '../../lambdas/api/definitions/operations.ts';
import type { Foundation, WebhookQueues } from '../foundation.ts';
import {
  authorizer,
  cancelBatch,
  consolePage,
  createBatch,
  estimateBatch,
  open,
  reads,
  redeliver,
  requestRate,
  resultReads,
  retryBatch,
  signedReads,
  testWebhook,
} from '../permissions/operations.ts';
import { ServiceFunction, type ServiceFunctionProps } from '../service-function.ts';

/** The functions behind both APIs, by their file in `lambdas/api/functions/`. */
export type ApiFunctions = Readonly<Record<HandlerFile | 'authorizer', ServiceFunction>>;

type FunctionProps = Pick<
  ServiceFunctionProps,
  'access' | 'memoryMb' | 'timeout' | 'packs' | 'console'
>;

export function apiFunctions(
  scope: Construct,
  foundation: Foundation,
  batches: StateMachine,
  webhooks: WebhookQueues,
): ApiFunctions {
  const { config } = foundation;
  const create = (
    id: string,
    handler: keyof ApiFunctions,
    props: FunctionProps,
    description = describe(handler),
  ) =>
    new ServiceFunction(scope, id, {
      config,
      memoryMb: config.memoryMb.api,
      handler: `api/functions/${handler}`,
      description,
      ...props,
    });
  const keyed = (id: string, handler: HandlerFile, props: FunctionProps) =>
    create(id, handler, { ...props, access: [...props.access, requestRate(foundation)] });

  return {
    authorizer: create(
      'Authorizer',
      'authorizer',
      { access: authorizer(foundation), timeout: Duration.seconds(10) },
      'Finds the tenant of an API key',
    ),
    'create-batch': keyed('CreateBatch', 'create-batch', {
      access: createBatch(foundation, batches),
      packs: 'manifests',
      // Validates and measures up to a thousand polygons synchronously: one vCPU, as for planning.
      memoryMb: config.memoryMb.plan,
    }),
    'estimate-batch': keyed('EstimateBatch', 'estimate-batch', {
      access: estimateBatch(foundation),
      packs: 'manifests',
      // Planning only: as much as the planning step.
      memoryMb: config.memoryMb.plan,
    }),
    'cancel-batch': keyed('CancelBatch', 'cancel-batch', {
      access: cancelBatch(foundation, batches, webhooks),
    }),
    'retry-batch': keyed('RetryBatch', 'retry-batch', { access: retryBatch(foundation, batches) }),
    redeliver: keyed('Redeliver', 'redeliver', { access: redeliver(foundation, webhooks) }),
    'test-webhook': keyed('TestWebhook', 'test-webhook', {
      access: testWebhook(foundation),
      // A receiver has 10 s to respond, and API Gateway waits at most 29 s.
      timeout: Duration.seconds(20),
    }),
    reads: keyed('Reads', 'reads', { access: reads(foundation), packs: 'manifests' }),
    'signed-reads': keyed('SignedReads', 'signed-reads', {
      access: signedReads(foundation),
      packs: 'manifests',
    }),
    'result-reads': keyed('ResultReads', 'result-reads', {
      access: resultReads(foundation),
      packs: 'manifests',
      // Decodes an overview and encodes a PNG: one vCPU.
      memoryMb: config.memoryMb.plan,
    }),
    console: create('Console', 'console', { access: consolePage(foundation), console: true }),
    open: create('Open', 'open', { access: open(foundation) }),
  };
}

/** The operations of a function, for the console. AWS allows 256 characters. */
function describe(handler: keyof ApiFunctions): string {
  return OPERATIONS.filter((operation) => operation.handler === handler)
    .map(({ method, path, deployments }) =>
      deployments.length === 1 ? `${method} ${path} (V2)` : `${method} ${path}`,
    )
    .join(', ')
    .slice(0, 256);
}
