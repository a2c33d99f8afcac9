import type { Estimate } from 'soil-batch-client';
import { h } from '../element.ts';
import { count } from '../numbers.ts';
import { TEXTS } from '../texts.ts';

type Warning = Estimate['jobs'][number]['warnings'][number];

/** The warnings of all jobs, each once with the number of its fields; null without any. */
export function estimateWarnings({ jobs }: Estimate): HTMLElement | null {
  const fields = new Map<string, number>();
  for (const { warnings } of jobs) {
    for (const text of new Set(warnings.map(textOf))) fields.set(text, (fields.get(text) ?? 0) + 1);
  }
  if (fields.size === 0) return null;
  const items = [...fields].map(([text, amount]) =>
    h('li', {}, `${count(amount, 'field')}: ${text}`),
  );
  return h('div', {}, h('h2', {}, TEXTS.estimate.warnings), h('ul', {}, ...items));
}

/** The service's message, unless it has numbers of its own for each field. */
function textOf({ code, message }: Warning): string {
  return code === 'smaller_than_cell' ? TEXTS.estimate.smallerThanCell : message;
}
