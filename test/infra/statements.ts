import { isObject, type Json, toList, toTexts, valueAtPath } from '../../local/json.ts';
import type { Synthesised } from '../support/infra/synthesised.ts';

/** An `Allow` statement of a policy, with its role, user or resource. */
export interface Allowance {
  /** `<LogicalId>` of the role or user, or the ID of the resource that has the policy. */
  readonly holder: string;
  readonly actions: readonly string[];
  readonly resources: readonly string[];
  readonly condition: Json | undefined;
}

const POLICIES: Readonly<Record<string, readonly string[]>> = {
  'AWS::IAM::Policy': ['PolicyDocument'],
  'AWS::S3::BucketPolicy': ['PolicyDocument'],
  'AWS::SQS::QueuePolicy': ['PolicyDocument'],
  'AWS::SNS::TopicPolicy': ['PolicyDocument'],
  'AWS::KMS::Key': ['KeyPolicy'],
  'AWS::SecretsManager::ResourcePolicy': ['ResourcePolicy'],
};

export function allowancesOf(synthesised: Synthesised): readonly Allowance[] {
  return synthesised.resources.flatMap(({ id, type, properties }) => {
    const path = POLICIES[type];
    const written = path === undefined ? [] : [valueAtPath(properties, ...path)];
    const inline = toList(properties['Policies']).map((policy) =>
      valueAtPath(policy, 'PolicyDocument'),
    );
    const holders = [...toList(properties['Roles']), ...toList(properties['Users'])].map((holder) =>
      synthesised.text(holder),
    );
    return [...written, ...inline].flatMap((document) =>
      (holders.length > 0 ? holders : [id]).flatMap((holder) =>
        listAllowances(document, holder, synthesised),
      ),
    );
  });
}

function listAllowances(
  document: Json | undefined,
  holder: string,
  { text }: Synthesised,
): Allowance[] {
  return toList(valueAtPath(document, 'Statement')).flatMap((statement) => {
    if (!isObject(statement) || statement['Effect'] !== 'Allow') return [];
    return [
      {
        holder,
        actions: toTexts(statement['Action']),
        resources: toList(statement['Resource']).map(text),
        condition: statement['Condition'],
      },
    ];
  });
}

/** Shortens `ApiHealthRole12AB34CD`, as a reference or as the role itself, to `ApiHealth`. */
export function nameOf(holder: string): string {
  return holder.replace(/^<|Role[0-9A-F]{8}>?$/g, '');
}
