import { button, fill, h, listen } from '../element.ts';
import { CHOOSABLE } from '../files/crs.ts';
import type { Choice, FileQuestion } from '../files/file-fields.ts';
import { TEXTS } from '../texts.ts';

/** Asks what files do not say of themselves, one after another. */
export function fileQuestions() {
  const element = h('div', {});
  const remind = () => {
    const control = element.querySelector<HTMLElement>('select, input');
    control?.focus();
    return control !== null;
  };
  return {
    element,
    /** Leads to the question that is not answered yet, and returns false without one. */
    remind,
    /** The answer is null if the file is to be left out. */
    async ask({ message, question }: FileQuestion, signal: AbortSignal): Promise<Choice | null> {
      const { promise, form } =
        question.kind === 'layer' ? layerForm(message, question.layers) : crsForm(message);
      fill(element, form);
      remind();
      const left = new Promise<null>((resolve) => {
        signal.addEventListener('abort', () => resolve(null));
      });
      const choice = await Promise.race([promise, left]);
      fill(element);
      return choice;
    },
  };
}

interface Asked {
  readonly promise: Promise<Choice | null>;
  readonly form: HTMLElement;
}

function layerForm(message: string, layers: readonly string[]): Asked {
  const select = h(
    'select',
    { id: 'layer' },
    ...layers.map((layer) => h('option', { value: layer }, layer)),
  );
  const label = h('label', { for: 'layer' }, TEXTS.file.layer, select);
  return asked(message, [label], () => ({ layer: select.value }));
}

function crsForm(message: string): Asked {
  const input = h('input', {
    id: 'crs',
    type: 'text',
    list: 'systems',
    autocomplete: 'off',
    required: true,
    'aria-describedby': 'crs-hint',
  });
  listen(input, { input: () => input.setCustomValidity('') });
  const systems = h(
    'datalist',
    { id: 'systems' },
    ...CHOOSABLE.map((system) => h('option', { value: system })),
  );
  const parts = [
    h('label', { for: 'crs' }, TEXTS.file.crs, input),
    h('p', { id: 'crs-hint', class: 'muted' }, TEXTS.file.crsHint),
    systems,
  ];
  return asked(message, parts, () => {
    const crs = epsgCode(input.value);
    if (crs !== null) return { crs };
    input.setCustomValidity(TEXTS.file.crsInvalid);
    input.reportValidity();
    return undefined;
  });
}

/** The code of `EPSG:28992` or `28992`; null for anything else. */
function epsgCode(text: string): number | null {
  const [, code] = /^(?:EPSG:)?(\d{4,6})\b/i.exec(text.trim()) ?? [];
  return code === undefined ? null : Number(code);
}

/** @param choose undefined if what was entered is no choice */
function asked(
  message: string,
  parts: readonly HTMLElement[],
  choose: () => Choice | undefined,
): Asked {
  let answer = (_: Choice | null) => {};
  const promise = new Promise<Choice | null>((resolve) => {
    answer = resolve;
  });
  const form = h(
    'form',
    { class: 'question' },
    h('p', { role: 'alert' }, message),
    ...parts,
    h(
      'div',
      { class: 'row' },
      h('button', { type: 'submit', class: 'main' }, TEXTS.file.open),
      button(TEXTS.file.leave, () => answer(null), { class: 'quiet' }),
    ),
  );
  listen(form, {
    submit: (event) => {
      event.preventDefault();
      const choice = choose();
      if (choice !== undefined) answer(choice);
    },
  });
  return { promise, form };
}
