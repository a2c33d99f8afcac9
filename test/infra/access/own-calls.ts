import { type Json, toList, toTexts, valueAtPath } from '../../../local/json.ts';
import { MANAGED_POLICIES } from './managed-policies.ts';
import type { Call, Context } from './may.ts';
import type { Policies } from './policies.ts';

// The calls that roles and users make with permissions that lib/ grants.

const managed = new Set(Object.values(MANAGED_POLICIES));

/** Returns a call for each action, resource and partition key that the policies of lib/ name. */
export function listGrantedCalls(policies: Policies): readonly Call[] {
  return listGrants(policies).flatMap(({ by, action, on, condition }) =>
    contextsOf(action, condition).map((context) => ({ by, action, on, context })),
  );
}

export interface Grant {
  readonly by: string;
  readonly action: string;
  /** One of the resources that the statement names. */
  readonly on: string;
  readonly condition: Json | undefined;
}

export function listGrants(policies: Policies): readonly Grant[] {
  return policies.principals.flatMap((by) =>
    policies
      .identity(by)
      .filter((policy) => !managed.has(policy))
      .flatMap((policy) => toList(valueAtPath(policy, 'Statement')))
      .flatMap((statement) =>
        keepEvaluable(toTexts(valueAtPath(statement, 'Action'))).flatMap((action) =>
          toTexts(valueAtPath(statement, 'Resource')).map((pattern) => ({
            by,
            action,
            on: makeExample(pattern, action),
            condition: valueAtPath(statement, 'Condition'),
          })),
        ),
      ),
  );
}

/**
 * Leaves out an action on aliases and versions, whose ARNs have the same format: the library cannot distinguish
 * them.
 */
function keepEvaluable(actions: readonly string[]): readonly string[] {
  return actions.filter((action) => action !== 'lambda:GetProvisionedConcurrencyConfig');
}

/** Returns an example of a resource that matches a pattern of lib/. */
function makeExample(pattern: string, action: string): string {
  if (pattern === '*') return '*';
  if (action.startsWith('logs:')) return pattern.replace(/\*$/, 'log-stream:2026');
  return pattern.replaceAll('*', '7');
}

/**
 * Returns the request contexts in which IAM may evaluate a call, such as one for each partition key that the statement
 * covers, and one with all of them.
 */
function contextsOf(action: string, condition: Json | undefined): readonly Context[] {
  const partitions = toTexts(
    valueAtPath(condition, 'ForAllValues:StringLike', 'dynamodb:LeadingKeys'),
  ).map((pattern) => pattern.replace('*', '7'));
  if (partitions.length > 0) {
    // IAM evaluates a transaction with all its partition keys at once.
    return [...partitions.map((key) => [key]), partitions].map((keys) => ({
      'dynamodb:LeadingKeys': keys,
    }));
  }
  if (action === 's3:ListBucket') {
    const prefix = String(valueAtPath(condition, 'StringLikeIfExists', 's3:prefix')).replace(
      '*',
      '7',
    );
    // HeadObject sends no prefix.
    return [{ 's3:prefix': prefix }, {}];
  }
  const via = valueAtPath(condition, 'StringEquals', 'kms:ViaService');
  if (via !== undefined) return [{ 'kms:ViaService': String(via) }];
  return [action.startsWith('kms:') ? OF_A_WEBHOOK_SECRET : {}];
}

/** The context that `lambdas/adapters/webhook/webhook-secret.ts` sends. */
export const OF_A_WEBHOOK_SECRET: Context = {
  'kms:EncryptionContext:tenant': 'acme',
  'kms:EncryptionContext:batch_id': '7',
  'kms:EncryptionContextKeys': ['tenant', 'batch_id'],
};
