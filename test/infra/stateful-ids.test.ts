import { describe, expect, it } from 'vitest';
import { parseConfig } from '../../lib/config/stage-config.ts';
import { stackNames } from '../../lib/stages.ts';
import { at, isObject } from '../support/infra/json.ts';
import { PROD } from '../support/infra/prod.ts';
import { type Synthesised, synthesise, synthesiseWith } from '../support/infra/synthesised.ts';
import { resourceSchemas } from './resource-schemas.ts';

// What a deployment must not change: it would replace data, keys or hosts, or fail. Written by hand: add to
// these lists, but never edit or remove.

/** CloudFormation replaces a resource whose logical id changes: an upgrade would start with an empty table. */
const STATEFUL = {
  StorageTableB43FDCE7: 'AWS::DynamoDB::Table',
  StorageWorkBucket99AEC627: 'AWS::S3::Bucket',
  StorageResultsBucketF87BB70E: 'AWS::S3::Bucket',
  StorageDataKeyE15BA43B: 'AWS::KMS::Key',
  StorageResultsKey79D09022: 'AWS::KMS::Key',
  StorageWebhookKey7D20D352: 'AWS::KMS::Key',
  SecretsCursorSecretE7EE2CEA: 'AWS::SecretsManager::Secret',
  SecretsSigningSecret3F4BD72F: 'AWS::SecretsManager::Secret',
};
const SIGNING_USER = { SecretsSigningUser4BE3D32A: 'AWS::IAM::User' };
const DISTRIBUTION = {
  SecretsResultsUnusedKey0227B573: 'AWS::CloudFront::PublicKey',
  SecretsResultsKeyGroupAFE24AAC: 'AWS::CloudFront::KeyGroup',
  SecretsResultsAccess275FEEA0: 'AWS::CloudFront::OriginAccessControl',
  SecretsResultsCacheBD58FE8D: 'AWS::CloudFront::CachePolicy',
  SecretsResultsHeaders5B4E1F85: 'AWS::CloudFront::ResponseHeadersPolicy',
  SecretsResultsDistribution196EFCBC: 'AWS::CloudFront::Distribution',
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

/** Properties whose change replaces the resource, as AWS's schemas say; a name that is added is one, too. */
const REPLACING = {
  'ApiV1DeploymentStageliveC836F0B2.RestApiId': { Ref: 'ApiV1F8C5A8E4' },
  'ApiV1DeploymentStageliveC836F0B2.StageName': 'live',
  'ApiV2DeploymentStageliveA313BD48.RestApiId': { Ref: 'ApiV273B7D546' },
  'ApiV2DeploymentStageliveA313BD48.StageName': 'live',
  'PipelineBatches69E6741F.StateMachineName': 'SoilBatch-prod-Stateless-Batches',
  'PipelineBatches69E6741F.StateMachineType': 'STANDARD',
  'StorageTableB43FDCE7.KeySchema': [
    { AttributeName: 'pk', KeyType: 'HASH' },
    { AttributeName: 'sk', KeyType: 'RANGE' },
  ],
};

/** What a deployed stateless stack imports: the stateful stack cannot be updated without it. */
const EXPORTS = [
  'FnGetAttStorageDataKeyE15BA43BArnC51C8217',
  'FnGetAttStorageResultsBucketF87BB70EArn06B7B0B0',
  'FnGetAttStorageResultsKey79D09022Arn3FEBE4B7',
  'FnGetAttStorageTableB43FDCE7ArnB71319BA',
  'FnGetAttStorageWebhookKey7D20D352ArnC08F3ABB',
  'FnGetAttStorageWorkBucket99AEC627Arn22106FCC',
  'RefSecretsCursorSecretE7EE2CEAC8A6C418',
  'RefSecretsSigningSecret3F4BD72F5E082A71',
  'RefStorageResultsBucketF87BB70E8A02670D',
  'RefStorageTableB43FDCE72E358E31',
  'RefStorageWorkBucket99AEC627D0702911',
];
const EXPORTS_OF_USER = [
  'FnGetAttSecretsSigningUser4BE3D32AArnC919D7BB',
  'RefSecretsSigningUser4BE3D32AF237FE12',
];
const EXPORTS_OF_DISTRIBUTION = [
  'FnGetAttSecretsResultsDistribution196EFCBCDomainNameF6E0F990',
  'RefSecretsResultsKeyGroupAFE24AAC8C14D0F0',
  'RefSecretsResultsUnusedKey0227B5737CCDEA45',
];

const signers = {
  'iam-user': { ids: { ...STATEFUL, ...SIGNING_USER }, exports: [...EXPORTS, ...EXPORTS_OF_USER] },
  cloudfront: {
    ids: { ...STATEFUL, ...DISTRIBUTION },
    exports: [...EXPORTS, ...EXPORTS_OF_DISTRIBUTION],
  },
} as const;
const stages: Readonly<Record<keyof typeof signers, Synthesised>> = {
  'iam-user': synthesise('prod'),
  cloudfront: synthesiseWith(parseConfig({ ...PROD, results: { signer: 'cloudfront' } })),
};

it('the names of the stacks stay', () => {
  expect(stackNames('prod')).toEqual({
    stateful: 'SoilBatch-prod-Stateful',
    stateless: 'SoilBatch-prod-Stateless',
    observability: 'SoilBatch-prod-Observability',
  });
});

describe.each(['iam-user', 'cloudfront'] as const)('with the signer %s', (signer) => {
  const { templates, resources, text } = stages[signer];
  const { ids, exports } = signers[signer];
  const [stateful] = templates;

  it('the stateful stack has these resources, and policies besides', () => {
    const made: Record<string, { Type: string }> = stateful?.toJSON()['Resources'];
    const found = Object.entries(made).filter(
      ([, { Type }]) => !/^AWS::(IAM::|S3::Bucket)Policy$/.test(Type),
    );
    expect(Object.fromEntries(found.map(([id, { Type }]) => [id, Type]))).toEqual(ids);
  });

  it.each(Object.entries(KEPT))('%s stays', (id, type) => {
    expect(resources.find((resource) => resource.id === id)?.type).toBe(type);
  });

  it('nothing that replaces one of them changes', () => {
    const schemas = resourceSchemas();
    const kept = resources.filter(({ id }) => id in ids || id in KEPT);
    const replacing = kept.flatMap(({ id, type, properties }) => {
      const schema = schemas.get(type);
      const names = [
        ...(schema?.createOnlyProperties ?? []),
        ...(schema?.conditionalCreateOnlyProperties ?? []),
      ].map((path) => path.replace('/properties/', ''));
      return names.flatMap((name) => {
        const value = at(properties, ...name.split('/'));
        return value === undefined ? [] : [[`${id}.${name}`, value] as const];
      });
    });
    expect(Object.fromEntries(replacing)).toEqual(REPLACING);
  });

  it('the stateful stack exports what a deployed stateless stack imports', () => {
    const outputs = stateful?.toJSON()['Outputs'];
    const exported = Object.values(isObject(outputs) ? outputs : {}).flatMap((output) => {
      const name = at(output, 'Export', 'Name');
      return name === undefined ? [] : [text(name).replace(/^.*:ExportsOutput/, '')];
    });
    expect(exported.sort()).toEqual([...exports].sort());
  });
});

it.each(Object.keys({ ...STATEFUL, ...SIGNING_USER }))('%s is retained', (id) => {
  const found = stages['iam-user'].resources.find((resource) => resource.id === id);
  expect(found?.whole['DeletionPolicy']).toBe('Retain');
});
