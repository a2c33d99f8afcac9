import { describe, expect, it } from 'vitest';
import { listStackNames } from '../../lib/stages.ts';
import { synthesise } from '../support/infra/synthesised.ts';

// A deployment must not change these, because CloudFormation replaces a resource whose stack, logical ID or
// name changes.

/** Replacements of these resources would be empty, or could not read stored data. */
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

/** Replacements of these resources would have other URLs, or lose messages or executions. */
const STATELESS = {
  ApiV1F8C5A8E4: 'AWS::ApiGateway::RestApi',
  ApiV273B7D546: 'AWS::ApiGateway::RestApi',
  PipelineBatches69E6741F: 'AWS::StepFunctions::StateMachine',
  WebhooksQueueCBC86013: 'AWS::SQS::Queue',
  WebhooksDeadLetterQueue1C65998B: 'AWS::SQS::Queue',
};

const { resources } = synthesise('prod');
const findResource = (id: string) => resources.find((resource) => resource.id === id);

it('the stacks keep their names', () => {
  expect(Object.values(listStackNames('prod'))).toEqual([
    'SoilBatch-prod-Stateful',
    'SoilBatch-prod-Stateless',
    'SoilBatch-prod-Observability',
  ]);
});

it.each(Object.entries({ ...STATEFUL, ...STATELESS }))('%s keeps its logical ID', (id, type) => {
  expect(findResource(id)?.type).toBe(type);
});

describe.each(Object.keys(STATEFUL))('%s', (id) => {
  it('is retained, and has no fixed name', () => {
    expect(findResource(id)?.whole['DeletionPolicy']).toBe('RetainExceptOnCreate');
    const names = Object.keys(findResource(id)?.properties ?? {}).filter((key) =>
      /Name$/.test(key),
    );
    expect(names).toEqual([]);
  });
});

it("the table's primary key stays the same", () => {
  expect(findResource('StorageTableB43FDCE7')?.properties['KeySchema']).toEqual([
    { AttributeName: 'pk', KeyType: 'HASH' },
    { AttributeName: 'sk', KeyType: 'RANGE' },
  ]);
});
