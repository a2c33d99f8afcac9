import { SoilError } from 'soil-batch-client';
import { button, fill, h, listen } from './element.ts';
import { type OpenedClient, openClient } from './state/client.ts';
import { explainError, explainWait } from './state/messages.ts';
import type { Session } from './state/session.ts';
import { TEXTS } from './texts.ts';

/** What the first requests with a valid key return. */
export type Opened = OpenedClient & Pick<Session, 'models' | 'limits'>;

/**
 * The first page.
 * @param licencesUrl where the licences of the console's contents are
 */
export function keyPage(
  baseUrl: URL,
  licencesUrl: string,
  opened: (opened: Opened) => Promise<void>,
): HTMLElement {
  const { explanation, enter, licences } = TEXTS.key;
  const heading = h('h1', { class: 'brand' }, TEXTS.title);
  return h(
    'main',
    { class: 'key' },
    keyForm(baseUrl, { heading, explanation, enter }, opened),
    h('footer', {}, h('a', { href: licencesUrl }, licences)),
  );
}

/** Asks for another key above the page, which keeps its fields; null if the user enters none. */
export function askForNewKey(baseUrl: URL): Promise<Opened | null> {
  const { newTitle, newExplanation: explanation, newEnter: enter, later } = TEXTS.key;
  const heading = h('h2', { id: 'new-key' }, newTitle);
  return new Promise((resolve) => {
    const form = keyForm(baseUrl, { heading, explanation, enter }, async (opened) => {
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

interface KeyForm {
  /** The heading above the field. */
  readonly heading: HTMLElement;
  readonly explanation: string;
  readonly enter: string;
}

/** Asks for a key, and tries it. The key is then only in the closure of the client. */
function keyForm(
  baseUrl: URL,
  { heading, explanation, enter }: KeyForm,
  opened: (opened: Opened) => Promise<void>,
): HTMLElement {
  const input = h('input', {
    id: 'key',
    // Not a password: browsers would offer to store it.
    type: 'text',
    class: 'secret',
    autocomplete: 'off',
    autocapitalize: 'none',
    spellcheck: 'false',
    required: true,
    'aria-describedby': 'key-explanation key-error',
  });
  const error = h('p', { id: 'key-error', class: 'error', role: 'alert' });
  const submit = h('button', { type: 'submit', class: 'main' }, enter);
  const form = h(
    'form',
    {},
    heading,
    h('p', { id: 'key-explanation' }, explanation),
    h('p', {}, h('label', { for: 'key' }, TEXTS.key.label), input),
    error,
    submit,
  );

  const tryKey = async (event: Event) => {
    event.preventDefault();
    submit.disabled = true;
    fill(error);
    fill(submit, TEXTS.key.checking);
    try {
      const { client, ...others } = openClient(baseUrl, input.value.trim());
      others.waiting.watch((wait) => fill(error, wait === null ? null : explainWait(wait)));
      const [{ models }, limits] = await Promise.all([client.models(), client.limits()]);
      input.value = '';
      await opened({ client, ...others, models, limits });
    } catch (reason) {
      fill(error, explainRefusal(reason));
      fill(submit, enter);
      submit.disabled = false;
      input.focus();
    }
  };
  return listen(form, { submit: tryKey });
}

function explainRefusal(reason: unknown): string {
  if (!(reason instanceof SoilError)) return explainError(reason);
  if (reason.status === 401 || reason.type === 'invalid-input') return TEXTS.key.refused;
  return reason.status === 403 ? TEXTS.key.disabled : explainError(reason);
}
