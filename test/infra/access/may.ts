import {
  createValidatedPolicy,
  type ValidatedPolicy,
  validateIdentityPolicy,
  validateResourcePolicy,
} from '@cloud-copilot/iam-policy';
import {
  allowedContextKeysForRequest,
  anonymousPrincipal,
  runUnsafeSimulation,
} from '@cloud-copilot/iam-simulate';
import { isObject, type Json } from '../../../local/json.ts';
import { ACCOUNT } from './deployed.ts';
import type { Policies } from './policies.ts';

/** Condition keys of a request, with the values that AWS sets. */
export type Context = Readonly<Record<string, string | readonly string[]>>;

export interface Call {
  /** The ARN of a role or user of any account, the name of a service, or {@link ANYBODY}. */
  readonly by: string;
  readonly action: string;
  /** An ARN, or `*` for actions without resources. */
  readonly on: string;
  /** Context in addition to that of `globalKeys`. */
  readonly context?: Context;
}

export const ANYBODY = 'anybody';

export type Verdict = 'Allowed' | 'ExplicitlyDenied' | 'ImplicitlyDenied';

/**
 * Decides on a call as AWS does, from identity and resource policies, explicit and implicit denials, and
 * conditions. @throws Error if the call cannot exist: an unknown action, a wrong resource, or a condition key
 * that AWS does not send with it
 */
export async function decideCall(call: Call, policies: Policies): Promise<Verdict> {
  const context = { ...globalKeys(call), ...call.context };
  await checkKeys(call, Object.keys(context));
  const ofResource = policies.resource(call.on);
  return runUnsafeSimulation(
    {
      request: {
        principal: call.by === ANYBODY ? anonymousPrincipal : call.by,
        action: call.action,
        resource: { resource: call.on, accountId: ACCOUNT },
        contextVariables: Object.fromEntries(
          Object.entries(context).map(([key, value]) => [
            key,
            typeof value === 'string' ? value : [...value],
          ]),
        ),
      },
      identityPolicies: identityPolicies(call, policies).map((policy, at) => ({
        name: String(at),
        policy: requireValidPolicy(policy, validateIdentityPolicy),
      })),
      resourcePolicy: ofResource && requireValidPolicy(ofResource, validateResourcePolicy),
      serviceControlPolicies: [],
      resourceControlPolicies: [],
    },
    {},
  );
}

const FULL_ACCESS: Json = {
  Version: '2012-10-17',
  Statement: [{ Effect: 'Allow', Action: '*', Resource: '*' }],
};

/** Callers from other accounts are administrators there, who may do everything that this account allows. */
function identityPolicies({ by }: Call, policies: Policies): readonly Json[] {
  const isOfAnother = by.startsWith('arn:') && !by.includes(`:${ACCOUNT}:`);
  return isOfAnother ? [FULL_ACCESS] : policies.identity(by);
}

type Validated = ValidatedPolicy<{ readonly name: string }>;
const validated = new WeakMap<object, Validated>();

/** @throws Error that lists what AWS would reject when the policy is created */
function requireValidPolicy(policy: Json, validate: typeof validateIdentityPolicy): Validated {
  if (!isObject(policy)) throw new Error('a policy is an object');
  const known = validated.get(policy) ?? createValidatedPolicy(policy, validate, { name: '' });
  validated.set(policy, known);
  if (known.errors.length > 0) throw new Error(JSON.stringify([known.errors, policy]));
  return known;
}

/** The keys are listed in https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_condition-keys.html. */
function globalKeys({ by, action }: Call): Context {
  return {
    'aws:SecureTransport': 'true',
    ...(action.startsWith('s3:') ? { 's3:TlsVersion': '1.3' } : {}),
    ...(by.startsWith('arn:')
      ? { 'aws:PrincipalArn': by, 'aws:PrincipalAccount': by.split(':')[4] ?? '' }
      : {}),
  };
}

/**
 * Checks condition keys. The library's own check does not know keys such as
 * `kms:EncryptionContext:${EncryptionContextKey}`, and would drop them from the request.
 */
async function checkKeys({ action, on }: Call, keys: readonly string[]): Promise<void> {
  const unknown = await listKeysNotSent(action, on, keys);
  if (unknown.length > 0) throw new Error(`AWS sends no ${unknown.join(', ')} with ${action}`);
}

/**
 * Lists the condition keys that AWS never sends with a call. A condition on such a key never holds, or always
 * with `ForAllValues`. @throws Error if the service does not have the action, or the action does not apply to
 * the resource
 */
export async function listKeysNotSent(
  action: string,
  on: string,
  keys: readonly string[],
): Promise<readonly string[]> {
  const sent = await listSentKeys(action, on);
  return keys.filter((key) => !sent.some((known) => matchesKey(known, key.toLowerCase())));
}

const sentWith = new Map<string, Promise<readonly string[]>>();

function listSentKeys(action: string, on: string): Promise<readonly string[]> {
  const call = `${action} ${on}`;
  const [service = '', name = ''] = action.split(':');
  const keys =
    sentWith.get(call) ?? allowedContextKeysForRequest(service, name, on, false, undefined);
  sentWith.set(call, keys);
  return keys;
}

function matchesKey(known: string, key: string): boolean {
  const placeholder = known.indexOf('${');
  return placeholder === -1 ? known === key : key.startsWith(known.slice(0, placeholder));
}
