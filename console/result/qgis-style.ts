import type { Model } from 'soil-batch-client';
import { button, fill, h } from '../element.ts';
import { save } from '../save.ts';
import { explainError } from '../state/messages.ts';
import type { Session } from '../state/session.ts';
import { TEXTS } from '../texts.ts';
import type { ColourScale, Range } from './colour-scale.ts';
import type { RasterView } from './views.ts';

export interface QgisStyle {
  readonly button: HTMLElement;
  /** Why there is no style, or why it could not be saved. */
  readonly messages: HTMLElement;
  readonly show: (view: RasterView, scale: ColourScale) => void;
}

export function qgisStyle({ client }: Session, { model }: Model, signal: AbortSignal): QgisStyle {
  const error = h('p', { role: 'alert', class: 'error' });
  const bandsOnly = h('p', { class: 'muted' }, TEXTS.result.styleOfBand);
  let band: string | null = null;
  let range: Range | undefined;
  const saveStyle = button(TEXTS.result.style, async () => {
    if (band === null) return;
    const name = `${model}_${band}.qml`;
    fill(error);
    try {
      const qml = await client.modelStyle(model, { band, range, signal });
      save(name, new Blob([qml], { type: 'application/xml' }));
    } catch (reason) {
      if (!signal.aborted) fill(error, explainError(reason));
    }
  });
  return {
    button: saveStyle,
    messages: h('div', {}, error, bandsOnly),
    show({ id, minus }, scale) {
      band = minus === null ? id : null;
      range = scale.range;
      saveStyle.hidden = band === null;
      bandsOnly.hidden = band !== null;
    },
  };
}
