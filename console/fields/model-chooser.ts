import type { Model } from 'soil-batch-client';
import { cellSizeText } from '../../client/src/drawing/cell-size-text.ts';
import { periodText } from '../../client/src/text/period-text.ts';
import { fill, h, listen } from '../element.ts';
import type { Session } from '../state/session.ts';
import { TEXTS } from '../texts.ts';

/** Which model predicts the fields, with the years that each has. One model leaves no choice. */
export function modelChooser({ draft, models }: Session): HTMLElement {
  const chooser = h(
    'select',
    { id: 'model' },
    h('option', { value: '' }, TEXTS.fields.modelByPlace),
    ...models.map(({ model }) => h('option', { value: model }, model)),
  );
  chooser.value = draft.get().model ?? '';
  const about = h('ul', { class: 'muted' });
  const show = () => {
    const shown = models.filter(({ model }) => chooser.value === '' || chooser.value === model);
    fill(about, ...shown.map(aboutModel));
  };
  listen(chooser, {
    change: () => {
      const model = chooser.value === '' ? null : chooser.value;
      draft.change((now) => ({ ...now, model }));
      show();
    },
  });
  show();
  const label = h('label', { for: 'model' }, TEXTS.fields.model, chooser);
  return h('div', {}, models.length > 1 ? label : null, about);
}

function aboutModel({ model, property, grid, periods }: Model): HTMLElement {
  const what = `${property.name} in ${property.unit}, cells of ${cellSizeText(grid)}`;
  return h('li', {}, `${model}: ${what}. ${periods.map(periodText).join('; ')}.`);
}
