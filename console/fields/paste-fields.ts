import { button, fill, h } from '../element.ts';
import { FileRejected, type ReadFile } from '../files/file-fields.ts';
import { typedFields } from '../files/typed-fields.ts';
import { messageOf } from '../state/messages.ts';
import { TEXTS } from '../texts.ts';

/** Adds fields without a pointer and without a file. */
export function pasteFields(add: (read: ReadFile) => void): HTMLElement {
  const text = h('textarea', {
    id: 'pasted',
    spellcheck: 'false',
    autocomplete: 'off',
    'aria-describedby': 'pasted-hint pasted-error',
  });
  const error = h('p', { id: 'pasted-error', role: 'alert', class: 'error' });
  const addTyped = () => {
    fill(error);
    try {
      add(typedFields(text.value));
      text.value = '';
    } catch (reason) {
      fill(error, reason instanceof FileRejected ? reason.message : messageOf(reason));
      text.focus();
    }
  };
  return h(
    'details',
    {},
    h('summary', {}, TEXTS.paste.open),
    h('p', { id: 'pasted-hint', class: 'muted' }, TEXTS.paste.hint),
    h('p', {}, h('label', { for: 'pasted' }, TEXTS.paste.label, text)),
    error,
    button(TEXTS.paste.add, addTyped),
  );
}
