import { button, fill, h, listen } from '../element.ts';
import { CHOOSABLE } from '../files/crs.ts';
import type { Choice, Question } from '../files/file-fields.ts';
import { LEAST_RADIUS, MOST_RADIUS } from '../files/file-limits.ts';
import { ENCODINGS } from '../texts/fields.ts';
import { TEXTS } from '../texts.ts';

export function fileQuestions() {
  const element = h('div', {});
  const remind = () => {
    const control = element.querySelector<HTMLElement>('select, input');
    control?.focus();
    return control !== null;
  };
  return {
    element,
    /** Moves the focus to the open question; false if no question is open. */
    remind,
    /** @returns null if the user leaves the page, or skips the question with the button labelled `leave` */
    async ask(
      { message, question, leave }: QuestionText,
      signal: AbortSignal,
    ): Promise<Choice | null> {
      const { promise, form } = buildForm(question, { message, leave });
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

interface QuestionText extends Introduction {
  readonly question: Question;
}

interface Introduction {
  readonly message: string;
  readonly leave: string;
}

function buildForm(question: Question, introduction: Introduction): OpenQuestion {
  switch (question.kind) {
    case 'layer':
      return layerForm(introduction, question.layers);
    case 'crs':
      return crsForm(introduction);
    case 'encoding':
      return encodingForm(introduction);
    case 'radius':
      return radiusForm(introduction);
  }
}

interface OpenQuestion {
  readonly promise: Promise<Choice | null>;
  readonly form: HTMLElement;
}

function layerForm(introduction: Introduction, layers: readonly string[]): OpenQuestion {
  const select = h(
    'select',
    { id: 'layer' },
    ...layers.map((layer) => h('option', { value: layer }, layer)),
  );
  const label = h('label', { for: 'layer' }, TEXTS.file.layer, select);
  return askInForm(introduction, [label], () => ({ layer: select.value }));
}

function encodingForm(introduction: Introduction): OpenQuestion {
  const select = h(
    'select',
    { id: 'encoding' },
    ...Object.entries(ENCODINGS).map(([value, title]) => h('option', { value }, title)),
  );
  const label = h('label', { for: 'encoding' }, TEXTS.file.encoding, select);
  return askInForm(introduction, [label], () => ({ encoding: select.value }));
}

function radiusForm(introduction: Introduction): OpenQuestion {
  const input = h('input', {
    id: 'radius',
    type: 'number',
    min: LEAST_RADIUS,
    max: MOST_RADIUS,
    step: 'any',
    required: true,
  });
  const text = TEXTS.file.radius(LEAST_RADIUS, MOST_RADIUS);
  const label = h('label', { for: 'radius' }, text, input);
  return askInForm(introduction, [label], () => ({ buffer: input.valueAsNumber }));
}

function crsForm(introduction: Introduction): OpenQuestion {
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
  return askInForm(introduction, parts, () => {
    const crs = parseEpsgCode(input.value);
    if (crs !== null) return { crs };
    input.setCustomValidity(TEXTS.file.crsInvalid);
    input.reportValidity();
    return undefined;
  });
}

/** The code at the start of a text such as `EPSG:28992 – RD New` or `28992`; null if there is none. */
function parseEpsgCode(text: string): number | null {
  const [, code] = /^(?:EPSG:)?(\d{4,6})\b/i.exec(text.trim()) ?? [];
  return code === undefined ? null : Number(code);
}

/** @param choose returns undefined if the entry is not a valid choice */
function askInForm(
  { message, leave }: Introduction,
  parts: readonly HTMLElement[],
  choose: () => Choice | undefined,
): OpenQuestion {
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
      button(leave, () => answer(null), { class: 'quiet' }),
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
