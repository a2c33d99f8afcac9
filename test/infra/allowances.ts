import { at } from '../support/infra/json.ts';
import { synthesise } from '../support/infra/synthesised.ts';
import { type Allowance, allowancesOf } from './statements.ts';

/** Of `prod`. */
export const synthesised = synthesise('prod');
export const allowances = allowancesOf(synthesised);

function leadingKeys(allowance: Allowance | undefined): unknown {
  return at(allowance?.condition, 'ForAllValues:StringLike', 'dynamodb:LeadingKeys');
}

/** The permissions of a function besides logs, traces and counting requests. */
export function beyondRequests(name: string): readonly Allowance[] {
  return allowances.filter(
    (allowance) =>
      nameOf(allowance.holder) === name &&
      String(leadingKeys(allowance)) !== 'REQUESTS#*' &&
      !allowance.actions.every((action) => /^(xray|logs):/.test(action)),
  );
}

export function holdersOf(action: string): readonly string[] {
  const holders = allowances
    .filter(({ actions }) => actions.includes(action))
    .map(({ holder }) => holder);
  return [...new Set(holders)];
}

/** `ApiHealthRole12AB34CD`, as a reference or as the role itself → `ApiHealth` */
export function nameOf(holder: string): string {
  return holder.replace(/^<|Role[0-9A-F]{8}>?$/g, '');
}
