import { h } from '../element.ts';
import { TEXTS } from '../texts.ts';

interface Amount {
  readonly limit: number;
  readonly wanted: number;
  readonly remaining: number;
}

/** How much of the day's quota is used and wanted, as a bar and in words. */
export function quotaBar(
  name: string,
  { limit, wanted, remaining }: Amount,
  format: (amount: number) => string,
): HTMLElement {
  const used = Math.max(limit - remaining, 0);
  const id = `quota-${name.toLowerCase().replace(/\W+/g, '-')}`;
  return h(
    'p',
    { class: 'quota' },
    h('label', { for: id }, name),
    h('meter', {
      id,
      min: 0,
      max: limit,
      value: Math.min(used + wanted, limit),
    }),
    h('span', {}, TEXTS.estimate.quotaOf(format(wanted), format(remaining))),
  );
}
