import { button, fill, h } from '../element.ts';
import { type FileField, FileRejected } from '../files/file-fields.ts';
import { readTypedFields } from '../files/typed-fields.ts';
import { explainError } from '../state/messages.ts';
import { TEXTS } from '../texts.ts';

export function pasteForm(add: (fields: readonly FileField[]) => void): HTMLElement {
  const text = h('textarea', {
    id: 'pasted',
    spellcheck: 'false',
    autocomplete: 'off',
    'aria-describedby': 'pasted-hint pasted-error',
  });
  const error = h('p', { id: 'pasted-error', role: 'alert', class: 'error' });
  const notes = h('p', { role: 'status' });
  const addTyped = () => {
    fill(error);
    fill(notes);
    try {
      const { fields, leftOut, remarks } = readTypedFields(text.value);
      add(fields);
      text.value = '';
      const others = leftOut.length === 0 ? [] : [TEXTS.file.leftOut(TEXTS.paste.text, leftOut)];
      fill(notes, [...remarks.map(({ message }) => message), ...others].join(' '));
    } catch (reason) {
      fill(error, reason instanceof FileRejected ? reason.message : explainError(reason));
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
    notes,
    button(TEXTS.paste.add, addTyped),
  );
}
