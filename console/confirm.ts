import { button, h, listen } from './element.ts';

export interface Question {
  readonly text: string;
  readonly agree: string;
  readonly refuse: string;
}

/**
 * Asks the user; Escape means no.
 * @param signal aborted once the question no longer applies, which also means no
 */
export function askToConfirm(
  { text, agree, refuse }: Question,
  signal: AbortSignal,
): Promise<boolean> {
  const dialog = h(
    'dialog',
    { 'aria-labelledby': 'question' },
    h('p', { id: 'question' }, text),
    h(
      'div',
      { class: 'row' },
      button(refuse, () => dialog.close(), { autofocus: true }),
      button(agree, () => dialog.close('agreed'), { class: 'danger' }),
    ),
  );
  document.body.append(dialog);
  dialog.showModal();
  signal.addEventListener('abort', () => dialog.close(), { once: true });
  return new Promise((resolve) => {
    listen(dialog, {
      close: () => {
        dialog.remove();
        resolve(dialog.returnValue === 'agreed');
      },
    });
  });
}
