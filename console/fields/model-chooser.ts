import type { Model } from 'soil-batch-client';
import { fill, h, listen } from '../element.ts';
import { isOffered } from '../map/coverage.ts';
import { modelSources } from '../model-sources.ts';
import { cellSizeText, notForText, periodText, propertyText } from '../model-text.ts';
import type { Session } from '../state/session.ts';
import { TEXTS } from '../texts.ts';

export function modelChooser({ draft, models: all }: Session): HTMLElement {
  const models = all.filter(isOffered);
  const chooser = h(
    'select',
    { id: 'model' },
    h('option', { value: '' }, TEXTS.fields.modelByPlace),
    ...models.map(({ model, title }) => h('option', { value: model }, title)),
  );
  chooser.value = draft.get().model ?? '';
  const about = h('ul', { class: 'models' });
  const show = () => {
    const shown = models.filter(({ model }) => chooser.value === '' || chooser.value === model);
    fill(about, ...shown.map((model) => aboutModel(model, shown.length === 1)));
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

function aboutModel({ title, periods, ...model }: Model, isChosen: boolean): HTMLElement {
  const years = periods.map(periodText).join('; ');
  const about = TEXTS.fields.aboutModel(propertyText(model), cellSizeText(model.grid), model.model);
  const text = isChosen ? `${about}; ${years}` : years;
  const notFor = notForText(model);
  return h(
    'li',
    {},
    title,
    h('div', { class: 'muted' }, text),
    notFor === null ? null : h('div', { class: 'muted' }, `${TEXTS.result.notFor}: ${notFor}`),
    isChosen ? modelSources(model) : null,
  );
}
