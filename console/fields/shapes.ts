import type { Shape } from '../map/field-layer.ts';
import type { Draft } from '../state/session.ts';
import type { FieldFault } from './field.ts';

/** The fields of a draft as the map shows them. */
export function shapesOf({ fields, faults }: Draft): readonly Shape[] {
  return fields.map(({ id, polygon }): Shape => {
    const fault = faults.get(id);
    const state = fault === undefined ? 'draft' : 'failed';
    return { id, polygon, state, fault: placeOf(fault) };
  });
}

function placeOf(fault: FieldFault | undefined): Shape['fault'] {
  return fault?.place ?? null;
}
