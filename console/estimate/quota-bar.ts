import { h } from '../element.ts';
import { rounded } from '../numbers.ts';
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
  const left = format(remaining);
  const text =
    wanted > remaining
      ? TEXTS.estimate.exceeds(format(wanted), left, format(used))
      : TEXTS.estimate.fits(rounded(wanted), left, format(used));
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
    h('span', {}, text),
  );
}
