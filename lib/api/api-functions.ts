import { Duration } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import type { HandlerFile } from '../../lambdas/api/routes.ts';
import type { WebhookQueues } from '../permissions/grants.ts';
import {
  grantAuthorizer,
  grantBatches,
  grantCreations,
  grantOpen,
  grantRequestRate,
  grantTestWebhook,
} from '../permissions/operations.ts';
import type { Pipeline } from '../pipeline.ts';
import { ServiceFunction, type ServiceFunctionProps } from '../service-function.ts';
import type { Foundation } from '../stateful-stack.ts';

/** Each function by its file in `lambdas/api/functions/`. */
export type ApiFunctions = Readonly<Record<'authorizer' | HandlerFile, ServiceFunction>>;

type FunctionProps = Pick<
  ServiceFunctionProps,
  'access' | 'description' | 'memoryMb' | 'timeout' | 'packs' | 'pages'
>;

/**
 * Creates separate functions only where operations differ in memory or trust. Each role may do only what its operations
 * need.
 */
export function createApiFunctions(
  scope: Construct,
  foundation: Foundation,
  { batches: stateMachine, copyResults }: Pick<Pipeline, 'batches' | 'copyResults'>,
  webhooks: WebhookQueues,
): ApiFunctions {
  const { config } = foundation;
  const createFunction = (id: string, handler: keyof ApiFunctions, props: FunctionProps) =>
    new ServiceFunction(scope, id, { config, handler: `api/functions/${handler}`, ...props });
  const createKeyedFunction = (id: string, handler: keyof ApiFunctions, props: FunctionProps) =>
    createFunction(id, handler, {
      ...props,
      access: [...props.access, grantRequestRate(foundation)],
    });

  return {
    authorizer: createFunction('Authorizer', 'authorizer', {
      description: 'Finds the tenant of an API key',
      access: grantAuthorizer(foundation),
      memoryMb: config.memoryMb.api,
      timeout: Duration.seconds(10),
    }),
    creations: createKeyedFunction('Creations', 'creations', {
      description: 'Creates, estimates and retries batches, and requests copies of missing results',
      access: grantCreations(foundation, stateMachine, copyResults),
      packs: 'manifests',
      // This function validates and measures up to a thousand polygons synchronously, so it needs one vCPU, like
      // planning.
      memoryMb: config.memoryMb.plan,
    }),
    batches: createKeyedFunction('Batches', 'batches', {
      description:
        'Reads and cancels batches, requests redeliveries of webhooks, and reads usage, limits and models',
      access: grantBatches(foundation, stateMachine, webhooks),
      packs: 'manifests',
      // This function decodes an overview and encodes a PNG, so it needs one vCPU.
      memoryMb: config.memoryMb.plan,
    }),
    'test-webhook': createKeyedFunction('TestWebhook', 'test-webhook', {
      description: "Sends a sample webhook to a client's URL",
      access: grantTestWebhook(foundation),
      memoryMb: config.memoryMb.api,
      // A receiver has 10 s to respond, and API Gateway waits at most 29 s.
      timeout: Duration.seconds(20),
    }),
    open: createFunction('Open', 'open', {
      description: 'Serves the health check, documents and console, and rejects unknown paths',
      access: grantOpen(foundation),
      pages: true,
      memoryMb: config.memoryMb.api,
    }),
  };
}
