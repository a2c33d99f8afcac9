import { type Child, h } from './element.ts';

export type Fact = readonly [term: string, value: Child];

export function factList(facts: readonly Fact[]): HTMLElement {
  const rows = facts.flatMap(([term, value]) =>
    value === null ? [] : [h('dt', {}, term), h('dd', {}, value)],
  );
  return h('dl', { class: 'facts' }, ...rows);
}
