import { type Resource, synthesise } from '../../support/infra/synthesised.ts';
import { OTHER_ACCOUNT, resolveDeployment } from './deployed.ts';
import { ANYBODY, type Call, decideCall, type Verdict } from './may.ts';
import { listGrantedCalls } from './own-calls.ts';
import { policiesOf } from './policies.ts';

const synthesised = synthesise('prod');
const { ofType } = synthesised;
export const on = resolveDeployment(synthesised);
export const policies = policiesOf(synthesised, on);

export const granted = removeDuplicates(listGrantedCalls(policies));

export const everybody = [
  ...policies.principals,
  ...['apigateway', 'cloudwatch', 'events', 'lambda', 'secretsmanager', 'states'].map(
    (service) => `${service}.amazonaws.com`,
  ),
  `arn:aws:iam::${OTHER_ACCOUNT}:role/Administrator`,
  ANYBODY,
];

function removeDuplicates(calls: readonly Call[]): readonly Call[] {
  return [...new Map(calls.map((call) => [JSON.stringify(call), call])).values()];
}

export async function findOtherVerdicts(
  expected: Verdict,
  calls: readonly Call[],
): Promise<readonly Call[]> {
  const verdicts = await Promise.all(calls.map((call) => decideCall(call, policies)));
  return calls.filter((_, index) => verdicts[index] !== expected);
}

/** The only resource of a type whose logical ID contains a text. */
export function findResource(type: string, part: string): Resource {
  const [found, ...others] = ofType(type).filter(({ id }) => id.includes(part));
  if (found === undefined || others.length > 0) throw new Error(`not one ${type} has ${part}`);
  return found;
}

/** Shortens `…/ApiOpenRole12AB34CD` to `ApiOpen`. */
export function nameOf(principal: string): string {
  return principal.replace(/^.*\//, '').replace(/(Role)?[0-9A-F]{8}$/, '');
}
