import { button, fill, h, listen } from '../element.ts';
import {
  type Choice,
  type FileField,
  type FileFields,
  FileQuestion,
  FileRejected,
  type Question,
} from '../files/file-fields.ts';
import { ACCEPTED, readInWorker } from '../files/read-in-worker.ts';
import { explainError } from '../state/messages.ts';
import { TEXTS } from '../texts.ts';
import { fileQuestions } from './file-question.ts';

/** Removes the fields whose IDs are in `instead`, adds `fields`, and returns the IDs of the added fields. */
export type AddFields = (
  fields: readonly FileField[],
  instead?: readonly string[],
) => readonly string[];

interface OpenedFile {
  readonly read: FileFields;
  readonly choice: Choice;
}

export function fileOpener(status: HTMLElement, add: AddFields, signal: AbortSignal) {
  const error = h('p', { role: 'alert', class: 'error' });
  const notes = h('div', { role: 'status' });
  const questions = fileQuestions();
  const readAsking = async (file: File, given: Choice): Promise<OpenedFile | null> => {
    let choice = given;
    for (;;) {
      fill(status, TEXTS.file.reading(file.name));
      try {
        return { read: await readInWorker({ file, choice }, signal), choice };
      } catch (reason) {
        if (!(reason instanceof FileQuestion)) throw reason;
        fill(status);
        const { message, question } = reason;
        const leave = TEXTS.file.leave;
        const answer = await questions.ask({ message, question, leave }, signal);
        if (answer === null) return null;
        choice = { ...choice, ...answer };
      }
    }
  };
  /** @param before the fields and the note from an earlier reading of the same file */
  const openFile = async (
    file: File,
    given: Choice = {},
    { ids = [], note = h('div', {}) }: { ids?: readonly string[]; note?: HTMLElement } = {},
  ) => {
    try {
      const opened = await readAsking(file, given);
      if (opened === null || signal.aborted) return;
      const { read, choice } = opened;
      const added = add(read.fields, ids);
      const again = (question: Question) =>
        next(async () => {
          const message = questionText(file.name, question);
          const leave = TEXTS.file.keep;
          const answer = await questions.ask({ message, question, leave }, signal);
          if (answer !== null) await openFile(file, { ...choice, ...answer }, { ids: added, note });
        });
      fill(note, buildNotes(file.name, read, again));
      notes.append(note);
    } catch (reason) {
      if (signal.aborted) return;
      const message = reason instanceof FileRejected ? reason.message : explainError(reason);
      error.append(h('span', { class: 'line' }, message));
    } finally {
      fill(status);
    }
  };
  let earlier = Promise.resolve();
  /** Runs a task once the files that were opened earlier are read: one of them may be waiting for an answer. */
  const next = (task: () => Promise<void>) => {
    earlier = earlier.finally(task);
    if (questions.remind()) fill(status, TEXTS.file.waits);
  };
  const open = (files: readonly File[]) =>
    next(async () => {
      fill(error);
      fill(notes);
      for (const file of files) await openFile(file);
      // The table has scrolled to the first new field, so the notes may be out of view.
      if (notes.textContent !== '') notes.scrollIntoView({ block: 'nearest' });
    });
  acceptDrops(open, signal);
  return { button: fileButton(open), messages: [error, questions.element, notes] };
}

function questionText(name: string, { kind }: Question): string {
  return kind === 'encoding' ? TEXTS.file.encodingQuestion(name) : TEXTS.file.oneLayer(name);
}

function buildNotes(
  name: string,
  { leftOut, remarks, questions }: FileFields,
  again: (question: Question) => void,
): readonly HTMLElement[] {
  const texts = [
    ...remarks.map(({ message }) => message),
    ...(leftOut.length === 0 ? [] : [TEXTS.file.leftOut(name, leftOut)]),
  ];
  const label = ({ kind }: Question) =>
    kind === 'encoding' ? TEXTS.file.otherEncoding(name) : TEXTS.file.oneLayer(name);
  return [
    ...texts.map((text) => h('p', {}, text)),
    h(
      'div',
      { class: 'row' },
      ...questions.map((question) => button(label(question), () => again(question))),
    ),
  ];
}

function fileButton(open: (files: readonly File[]) => void): HTMLElement {
  const input = h('input', {
    type: 'file',
    id: 'file',
    multiple: true,
    class: 'visually-hidden',
    tabindex: -1,
    'aria-hidden': 'true',
    accept: ACCEPTED,
  });
  listen(input, {
    change: () => {
      open([...(input.files ?? [])]);
      input.value = '';
    },
  });
  return h(
    'span',
    {},
    button(TEXTS.fields.file, () => input.click()),
    input,
  );
}

function acceptDrops(open: (files: readonly File[]) => void, signal: AbortSignal): void {
  const over = (event: DragEvent) => {
    if (!hasFiles(event)) return;
    event.preventDefault();
    document.body.classList.add('dropping');
  };
  const leave = () => document.body.classList.remove('dropping');
  const drop = (event: DragEvent) => {
    leave();
    if (!hasFiles(event)) return;
    event.preventDefault();
    open([...(event.dataTransfer?.files ?? [])]);
  };
  document.addEventListener('dragover', over, { signal });
  document.addEventListener('dragleave', leave, { signal });
  document.addEventListener('drop', drop, { signal });
}

/** Text may be dragged too, such as into a text field. */
function hasFiles({ dataTransfer }: DragEvent): boolean {
  return dataTransfer?.types.includes('Files') === true;
}
