import { button, fill, h, listen } from '../element.ts';
import { type Choice, FileQuestion, FileRejected, type ReadFile } from '../files/file-fields.ts';
import { ACCEPTED, readApart } from '../files/read-in-worker.ts';
import { messageOf } from '../state/messages.ts';
import { TEXTS } from '../texts.ts';
import { fileQuestions } from './file-question.ts';

/** Reads files that are chosen or dropped, asks what they do not say, and adds their fields. */
export function fileOpener(
  status: HTMLElement,
  add: (read: ReadFile) => void,
  signal: AbortSignal,
) {
  const error = h('p', { role: 'alert', class: 'error' });
  const questions = fileQuestions();
  const readAsking = async (file: File): Promise<ReadFile | null> => {
    let choice: Choice = {};
    for (;;) {
      fill(status, TEXTS.file.reading(file.name));
      try {
        return await readApart({ file, choice }, signal);
      } catch (reason) {
        if (!(reason instanceof FileQuestion)) throw reason;
        fill(status);
        const answer = await questions.ask(reason, signal);
        if (answer === null) return null;
        choice = { ...choice, ...answer };
      }
    }
  };
  const openAll = async (files: readonly File[]) => {
    const opened: ReadFile[] = [];
    fill(error);
    for (const file of files) {
      try {
        const read = await readAsking(file);
        if (read !== null && !signal.aborted) opened.push(read);
      } catch (reason) {
        if (signal.aborted) return;
        const message = reason instanceof FileRejected ? reason.message : messageOf(reason);
        error.append(h('span', { class: 'line' }, message));
      }
    }
    fill(status);
    if (opened.length === 0) return;
    add({
      fields: opened.flatMap(({ fields }) => fields),
      skipped: opened.reduce((sum, { skipped }) => sum + skipped, 0),
    });
  };
  let earlier = Promise.resolve();
  /** After the files that were chosen before: one of them may be waiting for an answer. */
  const open = (files: readonly File[]) => {
    earlier = earlier.finally(() => openAll(files));
    if (questions.remind()) fill(status, TEXTS.file.waits);
  };
  acceptDrops(open, signal);
  return { button: fileButton(open), messages: [error, questions.element] };
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

/** Files may be dropped anywhere on the page. */
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
