import { button, h } from '../element.ts';
import { TEXTS } from '../texts.ts';
import { keyForm, type Opened } from './key-form.ts';

/** Asks for another key above the page, which keeps its fields; null if the user enters none. */
export function askForNewKey(baseUrl: URL): Promise<Opened | null> {
  const { newTitle, newExplanation: explanation, newEnter: enter, later } = TEXTS.key;
  const heading = h('h2', { id: 'new-key' }, newTitle);
  return new Promise((resolve) => {
    const form = keyForm(baseUrl, { heading, explanation, enter }, (opened) => {
      resolve(opened);
      dialog.close();
    });
    const dialog: HTMLDialogElement = h(
      'dialog',
      { 'aria-labelledby': 'new-key' },
      form,
      button(later, () => dialog.close(), { class: 'quiet' }),
    );
    dialog.addEventListener('close', () => {
      dialog.remove();
      resolve(null);
    });
    document.body.append(dialog);
    dialog.showModal();
    document.getElementById('key')?.focus();
  });
}
