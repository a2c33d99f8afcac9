import { button, fill, h } from '../element.ts';
import { hectares } from '../numbers.ts';
import type { Draft } from '../state/session.ts';
import { TEXTS } from '../texts.ts';
import type { Field } from './field.ts';
import { fieldHectares } from './field-area.ts';

export interface FieldTableEvents {
  readonly select: (id: string) => void;
  readonly remove: (id: string) => void;
}

/** A row for each field. Rows are kept while their field is, so that the focus stays where it is. */
export function fieldTable({ select, remove }: FieldTableEvents) {
  const body = h('tbody', {});
  const rows = new Map<string, { readonly field: Field; readonly row: HTMLTableRowElement }>();
  const element = h(
    'table',
    { 'aria-label': TEXTS.fields.title },
    h(
      'thead',
      {},
      h(
        'tr',
        {},
        h('th', { scope: 'col' }, TEXTS.fields.name),
        h('th', { scope: 'col' }, TEXTS.fields.area),
        h(
          'th',
          { scope: 'col' },
          h('span', { class: 'visually-hidden' }, TEXTS.fields.removeShort),
        ),
      ),
    ),
    body,
  );

  const rowOf = (field: Field, fault: string | null) =>
    h(
      'tr',
      { 'data-field': field.id },
      h(
        'td',
        {},
        button(h('bdi', {}, field.name), () => select(field.id), { class: 'quiet' }),
        fault === null ? null : h('div', { class: 'error' }, fault),
      ),
      h('td', { class: 'amount' }, areaOf(field)),
      h(
        'td',
        {},
        button(TEXTS.fields.removeShort, () => remove(field.id), {
          class: 'quiet',
          'aria-label': TEXTS.fields.remove(field.name),
        }),
      ),
    );

  let marked: string | null = null;
  const show = ({ fields, selected, faults }: Draft) => {
    const wanted = new Set(fields.map(({ id }) => id));
    for (const [id, { row }] of rows) {
      if (wanted.has(id)) continue;
      row.remove();
      rows.delete(id);
    }
    for (const field of fields) {
      const fault = faults.get(field.id)?.message ?? missingIn(field);
      const before = rows.get(field.id);
      if (before?.field !== field || before.row.dataset['fault'] !== (fault ?? '')) {
        const row = rowOf(field, fault);
        row.dataset['fault'] = fault ?? '';
        if (before === undefined) body.append(row);
        else before.row.replaceWith(row);
        rows.set(field.id, { field, row });
      }
      const isSelected = String(field.id === selected);
      rows.get(field.id)?.row.querySelector('button')?.setAttribute('aria-pressed', isSelected);
    }
    if (selected !== null && selected !== marked) {
      rows.get(selected)?.row.scrollIntoView({ block: 'nearest' });
    }
    marked = selected;
  };
  return { element, show, empty: () => fill(body) };
}

/** An outline without an area, such as one that crosses itself, shows nothing here: the estimate explains it. */
function areaOf({ polygon }: Field): string {
  const area = polygon === null ? 0 : fieldHectares(polygon);
  return area > 0 ? hectares(area) : '';
}

function missingIn({ polygon, malformed }: Field): string | null {
  if (polygon !== null) return null;
  return malformed === undefined ? TEXTS.fields.noGeometry : TEXTS.fields.malformed;
}
