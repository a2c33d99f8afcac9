import { SoilError } from 'soil-batch-client';
import { button, fill, h, listen } from './element.ts';
import { type OpenedClient, openClient } from './state/client.ts';
import type { KeptKey } from './state/kept-key.ts';
import { explainError, explainWait } from './state/messages.ts';
import type { Session } from './state/session.ts';
import { TEXTS } from './texts.ts';

/** The client of a valid key, and the responses to its first requests. */
export type SignInResult = OpenedClient & Pick<Session, 'models' | 'limits'>;

/**
 * The sign-in page. It opens the console by itself if the tab has kept a key.
 * @param licencesUrl where the licences of the console's contents are
 */
export function keyPage(
  baseUrl: URL,
  licencesUrl: string,
  kept: KeptKey,
  opened: (opened: SignInResult) => Promise<void>,
): HTMLElement {
  const { explanation, enter, licences } = TEXTS.key;
  const heading = h('h1', { class: 'brand' }, TEXTS.title);
  const { form, tryKey } = keyForm(
    baseUrl,
    { heading, explanation: kept.isKept ? explanation.kept : explanation.notKept, enter },
    kept,
    opened,
  );
  const key = kept.read();
  if (key !== null) tryKey(key);
  return h(
    'main',
    { class: 'key' },
    form,
    h('footer', {}, h('a', { href: licencesUrl }, licences)),
  );
}

/** Asks in a dialog, so that the page keeps its fields. Null if the user enters no key. */
export function askForNewKey(baseUrl: URL, kept: KeptKey): Promise<SignInResult | null> {
  const { newTitle, newExplanation: explanation, newEnter: enter, later } = TEXTS.key;
  const heading = h('h2', { id: 'new-key' }, newTitle);
  return new Promise((resolve) => {
    const { form } = keyForm(baseUrl, { heading, explanation, enter }, kept, async (opened) => {
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
  readonly heading: HTMLElement;
  readonly explanation: string;
  readonly enter: string;
}

function keyForm(
  baseUrl: URL,
  { heading, explanation, enter }: KeyForm,
  kept: KeptKey,
  opened: (opened: SignInResult) => Promise<void>,
) {
  const input = h('input', {
    id: 'key',
    // This is not a password input, because browsers would offer to store the key.
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

  const tryKey = async (key: string) => {
    submit.disabled = true;
    fill(error);
    fill(submit, TEXTS.key.checking);
    try {
      const { client, ...others } = openClient(baseUrl, key);
      others.waiting.watch((wait) => fill(error, wait === null ? null : explainWait(wait)));
      const [{ models }, limits] = await Promise.all([client.models(), client.limits()]);
      input.value = '';
      kept.write(key);
      await opened({ client, ...others, models, limits });
    } catch (reason) {
      if (isRefusal(reason)) kept.write(null);
      fill(error, explainRefusal(reason));
      fill(submit, enter);
      submit.disabled = false;
      input.focus();
    }
  };
  listen(form, {
    submit: (event) => {
      event.preventDefault();
      tryKey(input.value.trim());
    },
  });
  return { form, tryKey };
}

/** Whether the key is unknown, expired or revoked, or cannot be part of a header. */
function isRefusal(reason: unknown): boolean {
  if (!(reason instanceof SoilError)) return false;
  return reason.status === 401 || reason.type === 'invalid-input';
}

function explainRefusal(reason: unknown): string {
  if (isRefusal(reason)) return TEXTS.key.refused;
  const isDisabled = reason instanceof SoilError && reason.status === 403;
  return isDisabled ? TEXTS.key.disabled : explainError(reason);
}
