import { h } from '../element.ts';
import { TEXTS } from '../texts.ts';

interface Amount {
  readonly limit: number;
  readonly wanted: number;
  readonly remaining: number;
}

export function quotaBar(
  name: string,
  { limit, wanted, remaining }: Amount,
  format: (amount: number) => string,
): HTMLElement {
  const used = Math.max(limit - remaining, 0);
  const { usedBefore, wanted: forBatch, left } = TEXTS.estimate.quotaParts;
  const rest = remaining - wanted;
  const parts = [
    { kind: 'used', amount: used, text: usedBefore(format(used)) },
    { kind: 'wanted', amount: Math.min(wanted, remaining), text: forBatch(format(wanted)) },
  ];
  const id = `quota-${name.toLowerCase().replace(/\W+/g, '-')}`;
  const bar = h(
    'div',
    {
      class: 'progress',
      role: 'meter',
      'aria-labelledby': id,
      'aria-valuemin': 0,
      'aria-valuemax': limit,
      'aria-valuenow': Math.min(used + wanted, limit),
      'aria-valuetext': parts.map(({ text }) => text).join(', '),
    },
    parts.map(({ kind, amount }) => buildPart(kind, amount / limit)),
  );
  const legend = parts.map(({ kind, text }) =>
    h('li', {}, h('span', { class: `swatch ${kind}`, 'aria-hidden': 'true' }), text),
  );
  return h(
    'div',
    { class: 'quota' },
    h('div', { id }, name),
    bar,
    h(
      'ul',
      {},
      legend,
      h('li', {}, rest < 0 ? TEXTS.estimate.exceeds(format(-rest)) : left(format(rest))),
    ),
  );
}

function buildPart(kind: string, share: number): HTMLElement {
  const element = h('span', { class: kind });
  // The content policy forbids styles in markup, but not those that a script sets.
  element.style.width = `${share * 100}%`;
  return element;
}
