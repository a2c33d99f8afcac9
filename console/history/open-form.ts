import { fill, h, listen } from '../element.ts';
import type { Session } from '../state/session.ts';
import { TEXTS } from '../texts.ts';
import { routeOfPasted } from './batch-address.ts';

/** Opens a batch or job by its id or address. */
export function openForm({ go }: Session): HTMLElement {
  const input = h('input', {
    id: 'address',
    autocomplete: 'off',
    'aria-describedby': 'address-error',
  });
  const error = h('p', { id: 'address-error', role: 'alert', class: 'error' });
  const form = h(
    'form',
    {},
    h(
      'div',
      { class: 'row' },
      h('label', { for: 'address' }, TEXTS.history.openLabel, input),
      h('button', { type: 'submit' }, TEXTS.history.open),
    ),
    error,
  );
  return listen(form, {
    submit: (event) => {
      event.preventDefault();
      const route = routeOfPasted(input.value);
      fill(error, route === null ? TEXTS.history.noId : null);
      if (route !== null) go(route);
    },
  });
}
