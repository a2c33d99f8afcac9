import type { FileField } from '../files/file-fields.ts';
import type { Shape } from '../map/field-layer.ts';
import type { Draft } from '../state/session.ts';
import { TEXTS } from '../texts.ts';
import { type Field, type FieldFault, type Polygonal, parseName } from './field.ts';

export function emptyDraft(): Draft {
  return {
    fields: [],
    selected: null,
    year: new Date().getFullYear(),
    batchName: '',
    model: null,
    submitted: [],
    faults: new Map(),
  };
}

let lastId = 0;

export function addFields(draft: Draft, added: readonly FileField[]): Draft {
  const fields = added.map((field, index): Field => {
    lastId++;
    const name = field.name ?? TEXTS.fields.newName(draft.fields.length + index + 1);
    return { ...field, id: `field-${lastId}`, name };
  });
  return { ...draft, fields: [...draft.fields, ...fields], selected: fields[0]?.id ?? null };
}

export function removeFields(draft: Draft, ids: readonly string[]): Draft {
  const removed = new Set(ids);
  const isKept = (id: string) => !removed.has(id);
  const fields = draft.fields.filter(({ id }) => isKept(id));
  const selected = draft.selected !== null && isKept(draft.selected) ? draft.selected : null;
  return { ...draft, fields, selected, faults: removeFaults(draft, removed) };
}

export function renameField(draft: Draft, id: string, name: string): Draft {
  return changeField(draft, id, (field) => ({ ...field, name }));
}

export function listAttributes({ fields }: Draft): readonly string[] {
  return [...new Set(fields.flatMap(({ attributes }) => Object.keys(attributes)))];
}

export function nameFieldsFrom(draft: Draft, attribute: string): Draft {
  const fields = draft.fields.map((field) => {
    const name = parseName(field.attributes[attribute]);
    return name === null ? field : { ...field, name };
  });
  return { ...draft, fields };
}

/** The fault goes, because the new outline has not been checked yet. */
export function reshapeField(draft: Draft, id: string, polygon: Polygonal): Draft {
  const faults = removeFaults(draft, new Set([id]));
  return { ...changeField(draft, id, (field) => ({ ...field, polygon })), faults };
}

/** Fields that are still in the draft keep their names, and a changed outline loses its fault. */
export function restoreFields(draft: Draft, fields: readonly Field[]): Draft {
  const known = new Map(draft.fields.map((field) => [field.id, field]));
  const restored = fields.map((field) => {
    const now = known.get(field.id);
    return now === undefined ? field : { ...field, name: now.name };
  });
  const changed = fields.filter(({ id, polygon }) => known.get(id)?.polygon !== polygon);
  const ids = new Set(fields.map(({ id }) => id));
  const gone = draft.fields.filter(({ id }) => !ids.has(id));
  const touched = new Set([...changed, ...gone].map(({ id }) => id));
  const kept = fields.find(({ id }) => id === draft.selected);
  const selected = (changed[0] ?? kept)?.id ?? null;
  return { ...draft, fields: restored, selected, faults: removeFaults(draft, touched) };
}

function changeField(draft: Draft, id: string, change: (field: Field) => Field): Draft {
  return {
    ...draft,
    fields: draft.fields.map((field) => (field.id === id ? change(field) : field)),
  };
}

function removeFaults({ faults }: Draft, ids: ReadonlySet<string>): Draft['faults'] {
  return new Map([...faults].filter(([field]) => !ids.has(field)));
}

export function polygonsOf(fields: readonly Field[]): readonly Polygonal[] {
  return fields.map(({ polygon }) => polygon).filter((polygon) => polygon !== null);
}

export function makeShapes({ fields, faults }: Draft): readonly Shape[] {
  return fields.flatMap(({ id, polygon }): readonly Shape[] => {
    if (polygon === null) return [];
    const fault = faults.get(id);
    const state = fault === undefined ? 'draft' : 'failed';
    return [{ id, polygon, state, fault: placeOfFault(fault) }];
  });
}

function placeOfFault(fault: FieldFault | undefined): Shape['fault'] {
  return fault?.place ?? null;
}
