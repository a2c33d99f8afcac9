import { Duration } from 'aws-cdk-lib';
import {
  AuthorizationType,
  IdentitySource,
  type IResource,
  type MethodOptions,
  RequestAuthorizer,
  Resource,
  type RestApi,
} from 'aws-cdk-lib/aws-apigateway';
import type { ApiFunctions } from './api-functions.ts';
import type { Caller } from './caller.ts';
import type { ServiceFunction } from './service-function.ts';

/**
 * V1 has the routes of V2 too: their functions answer there that they exist on V2. A trailing slash
 * needs no route: the gateway matches `/v1/batch/` to `/v1/batch` and hands on the path as sent.
 */
export function addRoutes(api: RestApi, functions: ApiFunctions, caller: Caller): void {
  const keyed: MethodOptions = {
    authorizer: keyAuthorizer(api, functions.authorizer),
    authorizationType: AuthorizationType.CUSTOM,
  };
  const open: MethodOptions = { authorizationType: AuthorizationType.NONE };
  const to = (fn: ServiceFunction) => caller.integrationOf(fn);

  const get = (resource: IResource, fn: ServiceFunction, options: MethodOptions) => {
    // HEAD is GET without the body (RFC 9110, section 9.3.2): the same function answers it.
    for (const method of ['GET', 'HEAD']) resource.addMethod(method, to(fn), options);
  };

  const batches = api.root.resourceForPath('/v1/batch');
  batches.addMethod('POST', to(functions.createBatch), keyed);
  get(batches, functions.listBatches, keyed);
  batches.addResource('estimate').addMethod('POST', to(functions.estimateBatch), keyed);

  const batch = batches.addResource('{batch_id}');
  batch.addResource('cancel').addMethod('POST', to(functions.cancelBatch), keyed);
  batch.addResource('retry').addMethod('POST', to(functions.retryBatch), keyed);
  get(batch.addResource('status'), functions.batchStatus, keyed);

  const deliveries = batch.addResource('deliveries');
  get(deliveries, functions.batchDeliveries, keyed);
  deliveries.addMethod('POST', to(functions.redeliver), keyed);
  api.root.resourceForPath('/v1/webhooks/test').addMethod('POST', to(functions.testWebhook), keyed);

  const job = batch.resourceForPath('jobs/{job_id}');
  get(job.addResource('status'), functions.jobStatus, keyed);
  get(job.resourceForPath('patches/{patch_batch_idx}/status'), functions.patchBatchStatus, keyed);

  get(api.root.resourceForPath('/v1/usage'), functions.usage, keyed);
  get(api.root.resourceForPath('/v1/limits'), functions.limits, keyed);
  get(api.root.resourceForPath('/v1/models'), functions.models, keyed);

  get(api.root.addResource('health'), functions.health, open);
  get(api.root.addResource('openapi.json'), functions.openApi, open);
  get(api.root.addResource('docs'), functions.docs, open);

  // Without a key: whoever mistypes an address learns that, not that a key is missing. The function
  // knows the route table, which the docs show to everybody.
  api.root.addResource('{proxy+}');
  const fallback = to(functions.fallback);
  for (const resource of resourcesOf(api)) resource.addMethod('ANY', fallback, open);
}

function resourcesOf(api: RestApi): readonly IResource[] {
  return [api.root, ...api.root.node.findAll().filter(isResource)];
}

function isResource(construct: unknown): construct is IResource {
  return construct instanceof Resource;
}

/**
 * The key's tenant, asked of a function and remembered for a minute by the whole header: its policy
 * therefore names the whole API.
 */
function keyAuthorizer(api: RestApi, handler: ServiceFunction): RequestAuthorizer {
  return new RequestAuthorizer(api, 'Authorizer', {
    handler,
    identitySources: [IdentitySource.header('Authorization')],
    resultsCacheTtl: Duration.seconds(60),
  });
}
