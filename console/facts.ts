import { type Child, h } from './element.ts';

/** A term and its description, as a page lists them; a null description leaves the fact out. */
export type Fact = readonly [term: string, value: Child];

export function factList(facts: readonly Fact[]): HTMLElement {
  const rows = facts.flatMap(([term, value]) =>
    value === null ? [] : [h('dt', {}, term), h('dd', {}, value)],
  );
  return h('dl', { class: 'facts' }, ...rows);
}
