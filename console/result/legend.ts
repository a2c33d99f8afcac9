import { formatHexColour, RAMP_STOPS } from '#engine/display/colour-ramp.ts';
import { h } from '../element.ts';
import { rounded } from '../numbers.ts';
import type { RasterView } from './views.ts';

/** Fixed for the model, so that two fields compare by their colours. */
export function legend(
  { title, range: [low, high] }: Pick<RasterView, 'title' | 'range'>,
  unit: string,
): HTMLElement {
  const canvas = h('canvas', {
    width: RAMP_STOPS.length * 24,
    height: 16,
    class: 'ramp',
    role: 'img',
  });
  canvas.setAttribute('aria-label', `${title}: ${rounded(low)} – ${rounded(high)} ${unit}`);
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
    h(
      'div',
      { class: 'ends' },
      h('span', {}, `≤ ${rounded(low)}`),
      h('span', {}, `≥ ${rounded(high)} ${unit}`),
    ),
  );
}
