import { button, fill, h } from './element.ts';
import { explainError } from './state/messages.ts';
import { TEXTS } from './texts.ts';

export interface FailureNotice {
  readonly element: HTMLElement;
  readonly show: (reason: unknown) => void;
  readonly clear: () => void;
}

export function failureNotice(
  again: () => void,
  explain: (reason: unknown) => string = explainError,
): FailureNotice {
  const message = h('p', { role: 'alert', class: 'error' });
  const retry = button(TEXTS.errors.again, () => {
    clear();
    again();
  });
  const clear = () => {
    fill(message);
    retry.hidden = true;
  };
  clear();
  return {
    element: h('div', {}, message, retry),
    show(reason) {
      fill(message, explain(reason));
      retry.hidden = false;
    },
    clear,
  };
}
