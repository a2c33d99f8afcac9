import { expect, it } from 'vitest';
import { stackNames } from '../../lib/stages.ts';
import { synthesise } from '../support/infra/synthesised.ts';

/**
 * CloudFormation replaces a resource whose logical id changes: an upgrade would start with an empty
 * table, new buckets and other keys. Written by hand: add to these lists, but never edit an id.
 */
const STATEFUL = {
  StorageTableB43FDCE7: 'AWS::DynamoDB::Table',
  StorageWorkBucket99AEC627: 'AWS::S3::Bucket',
  StorageResultsBucketF87BB70E: 'AWS::S3::Bucket',
  StorageDataKeyE15BA43B: 'AWS::KMS::Key',
  StorageResultsKey79D09022: 'AWS::KMS::Key',
  StorageWebhookKey7D20D352: 'AWS::KMS::Key',
  SecretsCursorSecretE7EE2CEA: 'AWS::SecretsManager::Secret',
  SecretsSigningSecret3F4BD72F: 'AWS::SecretsManager::Secret',
  SecretsSigningUser4BE3D32A: 'AWS::IAM::User',
};

/** Without client data, but a replacement changes a URL, drops messages or executions, or invalidates keys. */
const KEPT = {
  ApiV1F8C5A8E4: 'AWS::ApiGateway::RestApi',
  ApiV1DeploymentStageliveC836F0B2: 'AWS::ApiGateway::Stage',
  ApiV273B7D546: 'AWS::ApiGateway::RestApi',
  ApiV2DeploymentStageliveA313BD48: 'AWS::ApiGateway::Stage',
  PipelineBatches69E6741F: 'AWS::StepFunctions::StateMachine',
  WebhooksQueueCBC86013: 'AWS::SQS::Queue',
  WebhooksDeadLetterQueue1C65998B: 'AWS::SQS::Queue',
  SigningKeyFirst8E8C0741: 'Custom::FirstSigningKey',
};

const { templates, resources } = synthesise('prod');

it('the names of the stacks stay', () => {
  expect(stackNames('prod')).toEqual({
    stateful: 'SoilBatch-prod-Stateful',
    stateless: 'SoilBatch-prod-Stateless',
    observability: 'SoilBatch-prod-Observability',
  });
});

it('the stateful stack has these resources, retained, and policies besides', () => {
  const [stateful] = templates;
  const made: Record<string, { Type: string; DeletionPolicy?: string }> =
    stateful?.toJSON()['Resources'];
  const found = Object.entries(made).filter(([, { Type }]) => !Type.endsWith('Policy'));
  expect(Object.fromEntries(found.map(([id, { Type }]) => [id, Type]))).toEqual(STATEFUL);
  for (const [, { DeletionPolicy }] of found) expect(DeletionPolicy).toBe('Retain');
});

it.each(Object.entries(KEPT))('%s stays', (id, type) => {
  expect(resources.find((resource) => resource.id === id)?.type).toBe(type);
});
