import { button, h } from '../element.ts';
import { formatHectares } from '../numbers.ts';
import { rowWindow } from '../row-window.ts';
import type { Draft } from '../state/session.ts';
import { TEXTS } from '../texts.ts';
import type { Field } from './field.ts';
import { fieldHectares } from './field-area.ts';

export interface FieldTableEvents {
  readonly select: (id: string) => void;
  readonly remove: (id: string) => void;
}

export function fieldTable({ select, remove }: FieldTableEvents) {
  let draft: Pick<Draft, 'fields' | 'selected' | 'faults'> | null = null;
  const rows = rowWindow((at) => {
    const field = draft?.fields[at];
    if (draft === null || field === undefined) return null;
    return buildRow(field, faultOf(field, draft), field.id === draft.selected);
  });
  const removeTitle = h('span', { class: 'visually-hidden' }, TEXTS.fields.removeShort);
  const titles = [TEXTS.fields.name, TEXTS.fields.area, removeTitle];
  const head = h('tr', {}, ...titles.map((title) => h('th', { scope: 'col' }, title)));
  const table = h('table', { 'aria-label': TEXTS.fields.title }, h('thead', {}, head), rows.body);
  const element = h('div', { class: 'scroll windowed fields' }, table);
  rows.follow(element);

  const buildRow = (field: Field, fault: string | null, isSelected: boolean) =>
    h(
      'tr',
      {},
      h(
        'td',
        {},
        button(h('bdi', {}, field.name), () => select(field.id), {
          class: 'quiet',
          'aria-pressed': String(isSelected),
        }),
      ),
      fault === null
        ? h('td', { class: 'amount' }, areaText(field))
        : h('td', {}, h('div', { class: 'error' }, fault)),
      h(
        'td',
        {},
        button(TEXTS.fields.removeShort, () => remove(field.id), {
          class: 'quiet',
          'aria-label': TEXTS.fields.remove(field.name),
        }),
      ),
    );

  return {
    element,
    show(now: Draft) {
      const { fields, selected } = now;
      const isNew = selected !== null && selected !== draft?.selected;
      draft = now;
      table.setAttribute('aria-rowcount', String(fields.length + 1));
      rows.show(fields.length);
      if (!isNew) return;
      const at = fields.findIndex(({ id }) => id === selected);
      rows.reveal(at)?.scrollIntoView({ block: 'nearest' });
    },
  };
}

export function faultOf(field: Field, { faults }: Pick<Draft, 'faults'>): string | null {
  return faults.get(field.id)?.message ?? missingText(field);
}

/** Empty without an outline, or for an outline whose area is 0. */
function areaText({ polygon }: Field): string {
  const area = polygon === null ? 0 : fieldHectares(polygon);
  return area > 0 ? formatHectares(area) : '';
}

function missingText({ polygon, malformed }: Field): string | null {
  if (polygon !== null) return null;
  return malformed === undefined ? TEXTS.fields.noGeometry : TEXTS.fields.malformed;
}
