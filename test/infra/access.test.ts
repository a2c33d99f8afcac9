import { describe, expect, it } from 'vitest';
import { isObject } from '../../local/json.ts';
import { REGION } from './access/deployed.ts';
import { guardsOfControl } from './access/guarded-control.ts';
import { type Find, type Guard, guardsOfData, guardsOfSecrets } from './access/guarded-data.ts';
import { type Call, type Context, decideCall, listKeysNotSent } from './access/may.ts';
import { listGrants } from './access/own-calls.ts';
import {
  everybody,
  findOtherVerdicts,
  findResource,
  granted,
  nameOf,
  on,
  policies,
} from './access/prod.ts';

describe('AWS allows', () => {
  it('every call except AssumeRole that lib/ grants to a role or the signing user', async () => {
    expect(granted.length).toBeGreaterThan(200);
    // Leave out AssumeRole: it is allowed on clients' roles but, as the guards check, on no role of this account.
    const calls = granted.filter(({ action }) => action !== 'sts:AssumeRole');
    expect(await findOtherVerdicts('Allowed', calls)).toEqual([]);
  });
});

describe('the key of the table, of work objects and of secrets', () => {
  const key = on.arn(findResource('AWS::KMS::Key', 'DataKey').id);
  const work = on.arn(findResource('AWS::S3::Bucket', 'WorkBucket').id);

  // With SSE-KMS, these services use the key on behalf of their caller.
  it.each([
    // Completing a multipart upload decrypts its parts.
    ['kms:Decrypt', 's3', /:(GetObject|AbortMultipartUpload)$/],
    ['kms:GenerateDataKey', 's3', /:PutObject$/],
    ['kms:Decrypt', 'dynamodb', /./],
    ['kms:GenerateDataKey', 'dynamodb', /:(Put|Update|Delete)Item$/],
    ['kms:Decrypt', 'secretsmanager', /:(Get|Put)SecretValue$/],
    ['kms:GenerateDataKey', 'secretsmanager', /:PutSecretValue$/],
  ])(
    'permits %s through %s exactly to the roles and users whose calls need it',
    async (action, service, needing) => {
      const context = { 'kms:ViaService': `${service}.${REGION}.amazonaws.com` };
      const needed = granted.filter(
        (call) =>
          call.action.startsWith(`${service}:`) &&
          needing.test(call.action) &&
          (service !== 's3' || call.on.startsWith(`${work}/`)),
      );
      const may = await listAllowed(action, key, context);
      expect(may).toEqual([...new Set(needed.map(({ by }) => nameOf(by)))].sort());
    },
  );
});

describe('a grant', () => {
  it('only uses condition keys that AWS sends with each of its actions', async () => {
    const conditions = listGrants(policies).filter(({ condition }) => condition !== undefined);
    expect(conditions.length).toBeGreaterThan(100);
    for (const { by, action, on: resource, condition } of conditions) {
      const keys = Object.values(isObject(condition) ? condition : {}).flatMap((operands) =>
        Object.keys(isObject(operands) ? operands : {}),
      );
      expect([by, action, await listKeysNotSent(action, resource, keys)]).toEqual([by, action, []]);
    }
  });
});

describe('AWS denies', () => {
  const find: Find = (type, part) => on.arn(findResource(type, part).id);
  it.each(
    [guardsOfSecrets, guardsOfData, guardsOfControl]
      .flatMap((guards) => guards(find))
      .map(formatGuard),
  )('%s', async (_title, { calls, only }) => {
    for (const [action, resource, context = {}] of calls) {
      const may = await listAllowed(action, resource, context);
      expect([action, context, may]).toEqual([action, context, only]);
    }
  });

  it('use of the webhook key unless the encryption context is exactly tenant and batch', async () => {
    const key = on.arn(findResource('AWS::KMS::Key', 'WebhookKey').id);
    const contexts = [[], ['tenant'], ['batch_id'], ['tenant', 'batch_id', 'other']].map(
      formatContextKeys,
    );
    const calls = everybody.flatMap((by) =>
      ['kms:Decrypt', 'kms:Encrypt', 'kms:ReEncryptFrom', 'kms:GenerateDataKey'].flatMap((action) =>
        contexts.map((context) => ({ by, action, on: key, context })),
      ),
    );
    expect(await findOtherVerdicts('ImplicitlyDenied', calls)).toEqual([]);
  });

  it('granted requests if they use plain HTTP or, to S3, an old TLS version', async () => {
    const onBuckets = granted.filter(({ action }) => action.startsWith('s3:'));
    const others = granted.filter(({ action }) => /^(sqs|sns):/.test(action));
    const insecure = [
      ...[...onBuckets, ...others].map(withContext({ 'aws:SecureTransport': 'false' })),
      ...onBuckets.map(withContext({ 's3:TlsVersion': '1.1' })),
    ];
    expect(insecure.length).toBeGreaterThan(50);
    expect(await findOtherVerdicts('ExplicitlyDenied', insecure)).toEqual([]);
  });
});

async function listAllowed(action: string, resource: string, context: Context) {
  const asked = everybody.map((by) => ({ by, action, on: resource, context }));
  const verdicts = await Promise.all(asked.map((call) => decideCall(call, policies)));
  return everybody.filter((_, index) => verdicts[index] === 'Allowed').map(nameOf);
}

function formatGuard(guard: Guard): readonly [title: string, guard: Guard] {
  const who = ['everybody', ...guard.only.slice(0, 1)].join(' but ');
  return [`${[who, ...guard.only.slice(1)].join(', ')} permission to ${guard.what}`, guard];
}

function formatContextKeys(keys: readonly string[]): Context {
  return {
    ...(keys.length === 0 ? {} : { 'kms:EncryptionContextKeys': keys }),
    ...Object.fromEntries(keys.map((key) => [`kms:EncryptionContext:${key}`, '7'])),
  };
}

function withContext(context: Call['context']): (call: Call) => Call {
  return (call) => ({ ...call, context: { ...call.context, ...context } });
}
