import type { Resource } from '../../support/infra/synthesised.ts';
import { synthesise } from '../../support/infra/synthesised.ts';
import { deployed, OTHER_ACCOUNT } from './deployed.ts';
import { ANYBODY, type Call, type Verdict, verdictOn } from './may.ts';
import { grantedCalls, impliedCalls, keysOf } from './own-calls.ts';
import { type Policies, policiesOf } from './policies.ts';
import { serviceCalls } from './service-calls.ts';

// The policies of `prod`, and the calls that are made when it runs.

const synthesised = synthesise('prod');
export const { ofType, functions } = synthesised;
export const on = deployed(synthesised);
export const policies = policiesOf(synthesised, on);

/** By roles and the signing user. */
export const granted = distinct(grantedCalls(policies));
/** By services with the permissions of whoever called them. */
export const implied = distinct(impliedCalls(granted, keysOf(synthesised, on)));
/** By services for resources of the templates. */
export const byServices = distinct(serviceCalls(synthesised, on));

/** Everybody who may try. */
export const everybody = [
  ...policies.principals,
  `arn:aws:iam::${OTHER_ACCOUNT}:role/Administrator`,
  ANYBODY,
];

function distinct(calls: readonly Call[]): readonly Call[] {
  return [...new Map(calls.map((call) => [JSON.stringify(call), call])).values()];
}

/** The calls with another verdict than the expected one. */
export async function verdictsOtherThan(
  expected: Verdict,
  calls: readonly Call[],
  by: Policies = policies,
): Promise<readonly Call[]> {
  const verdicts = await Promise.all(calls.map((call) => verdictOn(call, by)));
  return calls.filter((_, index) => verdicts[index] !== expected);
}

/** The policies with some properties of one type of resource replaced. */
export function withProperties(
  type: string,
  replace: (properties: Resource['properties']) => Resource['properties'],
): Policies {
  const resources = synthesised.resources.map((each) =>
    each.type === type
      ? { ...each, properties: { ...each.properties, ...replace(each.properties) } }
      : each,
  );
  return policiesOf({ resources }, on);
}

/** The only resource of a type whose logical id contains a text. */
export function resource(type: string, part: string): Resource {
  const [found, ...others] = ofType(type).filter(({ id }) => id.includes(part));
  if (found === undefined || others.length > 0) throw new Error(`not one ${type} has ${part}`);
  return found;
}

/** `…/ApiOpenRole12AB34CD` → `ApiOpen` */
export function nameOf(principal: string): string {
  return principal.replace(/^.*\//, '').replace(/(Role)?[0-9A-F]{8}$/, '');
}
