import { fill, h, listen } from '../element.ts';
import { TEXTS } from '../texts.ts';
import type { RasterView } from './views.ts';

/** Chooses what the map shows; below it, what the model says of a band whose title is short. */
export function bandPicker(
  views: readonly RasterView[],
  show: (view: RasterView) => void,
): HTMLElement {
  const description = h('p', { id: 'band-description', class: 'muted' });
  const select = h(
    'select',
    { id: 'band', 'aria-describedby': 'band-description' },
    ...views.map(({ id, title }) => h('option', { value: id }, title)),
  );
  const describe = ({ description: text }: RasterView) => {
    fill(description, text);
    description.hidden = text === null;
  };
  const [first] = views;
  if (first !== undefined) describe(first);
  listen(select, {
    change: () => {
      const view = views.find(({ id }) => id === select.value);
      if (view === undefined) return;
      describe(view);
      show(view);
    },
  });
  return h(
    'div',
    {},
    h('p', {}, h('label', { for: 'band' }, TEXTS.result.band, select)),
    description,
  );
}
