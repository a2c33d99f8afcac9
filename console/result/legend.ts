import { formatHexColour, RAMP_STOPS } from '#engine/display/colour-ramp.ts';
import { chooseRoundTicks } from '#engine/display/round-ticks.ts';
import { h } from '../element.ts';
import { formatRounded, formatTicks } from '../numbers.ts';
import { TEXTS } from '../texts.ts';
import type { ColourScale, Range } from './colour-scale.ts';

export function legend(title: string, { of, range }: ColourScale, unit: string): HTMLElement {
  const [low, high] = range.map(formatRounded);
  const canvas = h('canvas', {
    width: RAMP_STOPS.length * 24,
    height: 16,
    class: 'ramp',
    role: 'img',
    'aria-label': `${title}: ${low} – ${high} ${unit}`,
  });
  const context = canvas.getContext('2d');
  if (context !== null) {
    const gradient = context.createLinearGradient(0, 0, canvas.width, 0);
    for (const { fraction, colour } of RAMP_STOPS)
      gradient.addColorStop(fraction, formatHexColour(colour));
    context.fillStyle = gradient;
    context.fillRect(0, 0, canvas.width, canvas.height);
  }
  return h(
    'div',
    { class: 'legend' },
    canvas,
    buildAxis(range),
    h('p', { class: 'muted' }, TEXTS.result.scaleOf[of](`${low}`, `${high}`, unit)),
  );
}

function buildAxis(range: Range): HTMLElement {
  const [low, high] = range;
  const ticks = chooseRoundTicks(range);
  const texts = formatTicks(ticks);
  return h(
    'div',
    { class: 'axis' },
    ...ticks.map((tick, at) => {
      const label = h('span', {}, texts[at] ?? null);
      // The content policy forbids styles in markup, but not those that a script sets.
      label.style.left = `${(100 * (tick - low)) / (high - low)}%`;
      return label;
    }),
  );
}
