import { describe, expect, it } from 'vitest';
import { at } from './json.ts';
import { type Allowance, allowancesOf } from './statements.ts';
import { synthesise } from './synthesised.ts';

const synthesised = synthesise('prod');
const allowances = allowancesOf(synthesised);

/** Resources that can't be named more narrowly, each with its reason. */
const WILDCARDS: readonly {
  readonly why: string;
  readonly fits: (a: Allowance, r: string) => boolean;
}[] = [
  {
    why: 'X-Ray knows no resources (Service Authorization Reference)',
    fits: ({ actions }, resource) =>
      resource === '*' &&
      actions.every((action) => /^(xray|logs):/.test(action)) &&
      actions.some((action) => action.startsWith('xray:')),
  },
  {
    why: 'objects are named by batch, job and patch-batch, under a prefix of their own',
    fits: ({ actions }, resource) =>
      actions.every((action) => action.startsWith('s3:')) &&
      /Bucket\w+\.Arn>\/(requests|work|deliveries|results)\/\*$/.test(resource),
  },
  {
    why: 'executions are named by their batches',
    fits: ({ actions }, resource) =>
      actions.every((action) => /^states:(Describe|Stop|Redrive)Execution$/.test(action)) &&
      /:execution:.+(:|\/\*:)\*$/.test(resource),
  },
  {
    why: 'running batches call the function versions they began with',
    fits: ({ actions, holder }, resource) =>
      actions.join() === 'lambda:InvokeFunction' &&
      /PipelineBatchesRole/.test(holder) &&
      /^<Pipeline\w+\.Arn>:\*$/.test(resource),
  },
  {
    why: "CDK's provider may call the one function it was made for, in any version",
    fits: ({ actions, holder }, resource) =>
      actions.join() === 'lambda:InvokeFunction' &&
      /frameworkonEvent/.test(holder) &&
      /^<SigningKeyFirstKey\w+\.Arn>:\*$/.test(resource),
  },
  {
    why: 'in the policy of a key, "*" is the key itself',
    fits: ({ holder }, resource) =>
      resource === '*' && synthesised.ofType('AWS::KMS::Key').some(({ id }) => id === holder),
  },
];

const wild = allowances.flatMap((allowance) =>
  allowance.resources
    .filter((resource) => resource.includes('*'))
    .map((resource) => ({ allowance, resource })),
);

describe('permissions', () => {
  it('name their actions, but for those by which an account owns its keys', () => {
    const keys = synthesised.ofType('AWS::KMS::Key').map(({ id }) => id);
    const wildActions = allowances.filter(({ actions }) =>
      actions.some((action) => action.includes('*')),
    );
    for (const { holder, actions, condition } of wildActions) {
      expect(keys).toContain(holder);
      // CDK lets Secrets Manager use a secret's key for the account: through that service alone.
      if (actions.join() !== 'kms:*') {
        expect(synthesised.text(at(condition, 'StringEquals', 'kms:ViaService'))).toMatch(
          /^secretsmanager\./,
        );
      }
    }
  });

  it('name their resources, or there is a reason', () => {
    const unexplained = wild.filter(
      ({ allowance, resource }) => !WILDCARDS.some(({ fits }) => fits(allowance, resource)),
    );
    expect(unexplained).toEqual([]);
  });

  it.each(WILDCARDS)('need the reason "$why"', ({ fits }) => {
    expect(wild.some(({ allowance, resource }) => fits(allowance, resource))).toBe(true);
  });

  it('come from no managed policy but those of the access logs and of rollouts', () => {
    const managed = synthesised
      .ofType('AWS::IAM::Role')
      .filter(({ properties }) => properties['ManagedPolicyArns'] !== undefined)
      .map(({ id }) => id);
    expect(
      managed.filter((id) => !/AccessLogRole|frameworkonEvent|ApiRolloutRole/.test(id)),
    ).toEqual([]);
  });
});

/** What a service does with a key in the caller's name, for what the caller asks of it. */
const IMPLIED = [
  { action: 's3:GetObject', service: 's3', needs: ['kms:Decrypt'] },
  { action: 's3:PutObject', service: 's3', needs: ['kms:GenerateDataKey'] },
  { action: 'dynamodb:GetItem', service: 'dynamodb', needs: ['kms:Decrypt'] },
  { action: 'dynamodb:Query', service: 'dynamodb', needs: ['kms:Decrypt'] },
  { action: 'dynamodb:PutItem', service: 'dynamodb', needs: ['kms:Decrypt', 'kms:Encrypt'] },
  { action: 'dynamodb:UpdateItem', service: 'dynamodb', needs: ['kms:Decrypt', 'kms:Encrypt'] },
  { action: 'dynamodb:DeleteItem', service: 'dynamodb', needs: ['kms:Decrypt', 'kms:Encrypt'] },
  { action: 'secretsmanager:GetSecretValue', service: 'secretsmanager', needs: ['kms:Decrypt'] },
  {
    action: 'secretsmanager:PutSecretValue',
    service: 'secretsmanager',
    needs: ['kms:GenerateDataKey'],
  },
] as const;

describe('the key that encrypts everything at rest', () => {
  it.each(IMPLIED)(
    'may be used through $service by whoever may $action',
    ({ action, service, needs }) => {
      const holders = holdersOf(action);
      expect(holders.length).toBeGreaterThan(0);
      for (const holder of holders) {
        const granted = allowances
          .filter(
            (a) => a.holder === holder && a.resources.some((r) => r.includes('StorageDataKey')),
          )
          .filter((a) =>
            synthesised
              .text(at(a.condition, 'StringEquals', 'kms:ViaService'))
              .startsWith(`${service}.`),
          )
          .flatMap(({ actions }) => actions);
        expect(granted, holder).toEqual(expect.arrayContaining([...needs]));
      }
    },
  );

  it('may be used for parts by whoever writes an object in parts: completing them reads them', () => {
    const inParts = holdersOf('s3:AbortMultipartUpload').filter((holder) =>
      holdersOf('s3:PutObject').includes(holder),
    );
    expect(inParts.map(nameOf)).toEqual(['PipelineAssembleRaster']);
    const granted = allowances
      .filter(
        ({ holder, resources }) =>
          inParts.includes(holder) && resources.some((r) => r.includes('StorageDataKey')),
      )
      .filter(({ condition }) =>
        synthesised.text(at(condition, 'StringEquals', 'kms:ViaService')).startsWith('s3.'),
      )
      .flatMap(({ actions }) => actions);
    expect(granted).toEqual(expect.arrayContaining(['kms:Decrypt', 'kms:GenerateDataKey']));
  });

  it('is used through services only', () => {
    const direct = allowances.filter(
      ({ resources, condition }) =>
        resources.some((resource) => resource.includes('StorageDataKey')) &&
        at(condition, 'StringEquals', 'kms:ViaService') === undefined,
    );
    expect(direct).toEqual([]);
  });
});

describe('who may do what', () => {
  it('encrypts webhook secrets: create-batch; decrypts them: deliver-webhook; under tenant and batch', () => {
    const uses = allowances.filter(({ resources }) =>
      resources.some((r) => r.includes('StorageWebhookKey')),
    );
    expect(uses.map(({ holder, actions }) => [nameOf(holder), actions.join()]).sort()).toEqual([
      ['ApiCreateBatch', 'kms:Encrypt'],
      ['WebhooksDeliverWebhook', 'kms:Decrypt'],
    ]);
    for (const { condition } of uses) {
      expect(at(condition, 'Null')).toEqual({
        'kms:EncryptionContext:tenant': 'false',
        'kms:EncryptionContext:batch_id': 'false',
      });
    }
  });

  it('reads the signing key: whoever signs URLs, and whoever makes keys', () => {
    expect(readersOf('SigningSecret')).toEqual([
      'ApiBatchStatus',
      'ApiJobStatus',
      'SigningKeyFirstKey',
      'SigningKeyRemoveReplacedKeys',
      'SigningKeyRotateKey',
      'WebhooksDeliverWebhook',
    ]);
  });

  it('reads the key of cursors and digests: whoever pages, and create-batch', () => {
    expect(readersOf('CursorSecret')).toEqual([
      'ApiBatchStatus',
      'ApiCreateBatch',
      'ApiJobStatus',
      'ApiListBatches',
    ]);
  });

  it('signs: a user who may read results, through S3, and nothing else', () => {
    const user = synthesised.ofType('AWS::IAM::User')[0]?.id;
    const own = allowances.filter(({ holder }) => holder === `<${user}>`);
    expect(own.map(({ actions }) => actions.join()).sort()).toEqual([
      'kms:Decrypt',
      's3:GetObject',
    ]);
    expect(own.flatMap(({ resources }) => resources)).toContainEqual(
      expect.stringMatching(/ResultsBucket\w+\.Arn>\/results\/\*$/),
    );
  });

  it('makes keys of the signing user: the first deploy and the rotation', () => {
    expect(holdersOf('iam:CreateAccessKey').map(nameOf).sort()).toEqual([
      'SigningKeyFirstKey',
      'SigningKeyRotateKey',
    ]);
  });

  it('reaches API keys: the authorizer, which reaches no batch', () => {
    const readers = allowances.filter(({ actions }) => actions.includes('dynamodb:GetItem'));
    const keysOf = (a: Allowance) =>
      JSON.stringify(at(a.condition, 'ForAllValues:StringLike', 'dynamodb:LeadingKeys'));
    const others = new Map([
      ['ApiAuthorizer', '["KEY#*","TENANT#*"]'],
      ['ApiCreateBatch', '["BATCH#*","TENANT#*","DISPATCH"]'],
      ['ApiEstimateBatch', '["TENANT#*"]'],
      ['ApiLimits', '["TENANT#*"]'],
      ['ApiRetryBatch', '["BATCH#*","TENANT#*","DISPATCH"]'],
      ['ApiUsage', '["TENANT#*"]'],
    ]);
    const beside = new Map([
      ['ApiCreateBatch', ['["DISPATCH","LINE#*"]']],
      ['ApiRetryBatch', ['["DISPATCH","LINE#*"]']],
      ['PipelineFinishBatch', ['["DISPATCH","LINE#*"]', '["TENANT#*"]']],
      ['ReconcilerReconcile', ['["DISPATCH","LINE#*"]', '["TENANT#*"]', '["SWEEPS"]']],
    ]);
    for (const reader of readers) {
      const name = nameOf(reader.holder);
      const own = others.get(name) ?? '["BATCH#*","JOB#*"]';
      expect([own, ...(beside.get(name) ?? [])], reader.holder).toContain(keysOf(reader));
    }
  });

  it('deletes: whoever starts batches, from the line of those that wait and nothing else', () => {
    const deleters = allowances.filter(({ actions }) => actions.includes('dynamodb:DeleteItem'));
    expect(deleters.map(({ holder }) => nameOf(holder)).sort()).toEqual([
      'ApiCreateBatch',
      'ApiRetryBatch',
      'PipelineFinishBatch',
      'ReconcilerReconcile',
    ]);
    for (const { condition } of deleters) {
      expect(at(condition, 'ForAllValues:StringLike', 'dynamodb:LeadingKeys')).toEqual([
        'DISPATCH',
        'LINE#*',
      ]);
    }
  });

  it('counts for tenants: whoever makes a batch, and whoever finishes one', () => {
    const writers = allowances.filter(
      ({ actions, condition }) =>
        actions.includes('dynamodb:UpdateItem') &&
        JSON.stringify(at(condition, 'ForAllValues:StringLike')).includes('"BATCH#*"') &&
        JSON.stringify(at(condition, 'ForAllValues:StringLike')).includes('"TENANT#*"'),
    );
    expect(writers.map(({ holder }) => nameOf(holder)).sort()).toEqual([
      'ApiCancelBatch',
      'ApiCreateBatch',
      'ApiRetryBatch',
      'PipelineFinishBatch',
      'ReconcilerReconcile',
    ]);
  });

  it('tests webhooks: a function that counts in its tenants’ items and reaches nothing else', () => {
    const own = beyondRequests('ApiTestWebhook');
    const [table, ...keys] = own.toSorted((a, b) => a.actions.length - b.actions.length);
    expect(table?.actions).toEqual(['dynamodb:UpdateItem']);
    expect(leadingKeys(table)).toEqual(['TENANT#*']);
    expect(keys.flatMap(({ actions }) => actions).every((action) => /^kms:/.test(action))).toBe(
      true,
    );
    for (const { condition } of keys) {
      const service = synthesised.text(at(condition, 'StringEquals', 'kms:ViaService'));
      expect(service).toMatch(/^dynamodb\./);
    }
  });

  it('deletes objects: whoever finishes a batch, among its rasters alone', () => {
    const deleting = allowances.filter(({ actions }) => actions.includes('s3:DeleteObject'));
    expect(deleting.map(({ holder }) => nameOf(holder)).sort()).toEqual([
      'ApiCancelBatch',
      'PipelineFinishBatch',
      'ReconcilerReconcile',
    ]);
    for (const { resources } of deleting) {
      expect(resources).toEqual([expect.stringMatching(/ResultsBucket\w+\.Arn>\/results\/\*$/)]);
    }
  });

  it('ends executions: cancellations and the reconciler', () => {
    const functions = holdersOf('states:StopExecution')
      .map(nameOf)
      // The state machine's own role ends what its map began.
      .filter((name) => !name.startsWith('PipelineBatches'));
    expect(functions.sort()).toEqual(['ApiCancelBatch', 'ReconcilerReconcile']);
  });

  it('starts executions: whoever makes or finishes a batch, and the reconciler', () => {
    const functions = holdersOf('states:StartExecution')
      .map(nameOf)
      // The state machine's own role begins what its map runs.
      .filter((name) => !name.startsWith('PipelineBatches'));
    expect(functions.sort()).toEqual([
      'ApiCreateBatch',
      'ApiRetryBatch',
      'PipelineFinishBatch',
      'ReconcilerReconcile',
    ]);
  });

  it('asks for redeliveries: a function that makes no item and reads no body', () => {
    const actions = beyondRequests('ApiRedeliver')
      .flatMap((allowance) => allowance.actions)
      .filter((action) => !action.startsWith('kms:'));
    expect(actions.sort()).toEqual([
      'dynamodb:GetItem',
      'dynamodb:Query',
      'dynamodb:UpdateItem',
      'sqs:SendMessage',
    ]);
  });

  it('looks through a tenant’s batches: the list, which changes none', () => {
    const lookers = allowances.filter(({ resources }) =>
      resources.some((resource) => resource.endsWith('/index/by_tenant')),
    );
    expect(lookers.map(({ holder, actions }) => [nameOf(holder), actions.join()])).toEqual([
      ['ApiListBatches', 'dynamodb:Query'],
    ]);
  });

  it('changes nothing in the table: estimates and the list', () => {
    for (const name of ['ApiEstimateBatch', 'ApiListBatches']) {
      const actions = beyondRequests(name)
        .filter(({ actions: [first] }) => !first?.startsWith('kms:'))
        .flatMap((each) => each.actions);
      expect(actions).toContain('dynamodb:GetItem');
      expect(actions.filter((action) => !/:(Get|Query)/.test(action))).toEqual([]);
    }
  });

  it('counts requests: every function behind a key, in items that are nothing else', () => {
    const counters = allowances.filter(
      (allowance) => String(leadingKeys(allowance)) === 'REQUESTS#*',
    );
    for (const { actions } of counters) expect(actions).toEqual(['dynamodb:UpdateItem']);
    const keyed = synthesised
      .ofType('AWS::Lambda::Function')
      .map(({ properties }) => synthesised.text(properties['Description']))
      .filter((text) => text.includes(' /v1/') || text.includes('…/'));
    expect(keyed.length).toBeGreaterThan(12);
    expect(counters).toHaveLength(keyed.length);
  });

  it('may do nothing at all: what tells of the service, and the fallback, but trace', () => {
    const own = allowances.filter(({ holder }) =>
      /^Api(Health|OpenApi|Docs|Fallback)$/.test(nameOf(holder)),
    );
    const actions = own.flatMap((allowance) => allowance.actions);
    expect(actions.filter((action) => !/^(xray|logs):/.test(action))).toEqual([]);
  });
});

function leadingKeys(allowance: Allowance | undefined): unknown {
  return at(allowance?.condition, 'ForAllValues:StringLike', 'dynamodb:LeadingKeys');
}

/** What a function may do but for logs, traces and counting requests. */
function beyondRequests(name: string): readonly Allowance[] {
  return allowances.filter(
    (allowance) =>
      nameOf(allowance.holder) === name &&
      String(leadingKeys(allowance)) !== 'REQUESTS#*' &&
      !allowance.actions.every((action) => /^(xray|logs):/.test(action)),
  );
}

function holdersOf(action: string): readonly string[] {
  const holders = allowances
    .filter(({ actions }) => actions.includes(action))
    .map(({ holder }) => holder);
  return [...new Set(holders)];
}

function readersOf(secret: string): readonly string[] {
  const readers = allowances
    .filter(({ actions }) => actions.includes('secretsmanager:GetSecretValue'))
    .filter(({ resources }) => resources.some((resource) => resource.includes(secret)));
  return [...new Set(readers.map(({ holder }) => nameOf(holder)))].sort();
}

/** `ApiHealthRole12AB34CD`, as a reference or as the role itself → `ApiHealth` */
function nameOf(holder: string): string {
  return holder.replace(/^<|Role[0-9A-F]{8}>?$/g, '');
}
