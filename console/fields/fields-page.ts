import { confirmed } from '../confirm.ts';
import { button, fill, h, listen } from '../element.ts';
import { type Choice, FileQuestion, FileRefused, type ReadFile } from '../files/read-fields.ts';
import { ACCEPTED, readApart } from '../files/reader.ts';
import { boundsOf, boundsOfCovered } from '../map/bounds.ts';
import { editField } from '../map/drawing.ts';
import { fieldLayer } from '../map/field-layer.ts';
import { messageOf } from '../state/messages.ts';
import type { Draft, PageView, Session } from '../state/session.ts';
import { TEXTS } from '../texts.ts';
import {
  attributesOf,
  namedFrom,
  renamed,
  reshaped,
  shapesOf,
  withFields,
  withoutField,
  withoutFields,
} from './draft.ts';
import { drawButton } from './draw-button.ts';
import { fieldTable } from './field-table.ts';
import { fileQuestions } from './file-question.ts';
import { modelChooser } from './model-chooser.ts';
import { pasteFields } from './paste-fields.ts';

/** Where fields are drawn, brought in and named. */
export function fieldsPage(session: Session): PageView {
  const { draft, map } = session;
  const select = (id: string | null) => draft.change((now) => ({ ...now, selected: id }));
  const layer = fieldLayer(map, (id) => {
    if (!drawing.isDrawing()) select(id);
  });
  const table = fieldTable({
    select: (id) => {
      select(id);
      zoomTo(session, id);
    },
    remove: (id) => draft.change((now) => withoutField(now, id)),
  });
  const status = h('p', { role: 'status', class: 'muted' });
  const error = h('p', { role: 'alert', class: 'error' });

  const drawing = drawButton(map, {
    // Otherwise the clicks would also move and add corners of the selected field.
    started: () => select(null),
    drawn: (polygon) =>
      draft.change((now) => withFields(now, [{ name: null, polygon, attributes: {} }])),
    ended: () => edit(draft.get().selected),
  });

  const add = ({ fields, skipped }: ReadFile) => {
    draft.change((now) => withFields(now, fields));
    fill(status, skipped > 0 ? TEXTS.file.skipped(skipped) : null);
    zoomToAll(session);
  };
  const left = new AbortController();
  const questions = fileQuestions();
  const readAsking = async (file: File): Promise<ReadFile | null> => {
    let choice: Choice = {};
    for (;;) {
      try {
        return await readApart({ file, choice }, left.signal);
      } catch (reason) {
        if (!(reason instanceof FileQuestion)) throw reason;
        const answer = await questions.ask(reason, left.signal);
        if (answer === null) return null;
        choice = { ...choice, ...answer };
      }
    }
  };
  const open = async (files: readonly File[]) => {
    const opened: ReadFile[] = [];
    fill(error);
    for (const file of files) {
      fill(status, TEXTS.file.reading(file.name));
      try {
        const read = await readAsking(file);
        if (read !== null && !left.signal.aborted) opened.push(read);
      } catch (reason) {
        if (left.signal.aborted) return;
        const message = reason instanceof FileRefused ? reason.message : messageOf(reason);
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
  const stopDrops = acceptDrops(open);

  const naming = nameChooser(session);
  const chosen = h('div', {});
  const totals = h('span', {});
  const clear = button(
    TEXTS.fields.clear,
    async () => {
      const { clearQuestion, clear: agree, keep: refuse } = TEXTS.fields;
      const text = clearQuestion(draft.get().fields.length);
      if (await confirmed({ text, agree, refuse }, left.signal)) draft.change(withoutFields);
    },
    { class: 'quiet' },
  );
  const estimate = button(TEXTS.fields.estimate, () => session.go({ page: 'estimate' }), {
    class: 'main',
  });
  const content = h(
    'div',
    {},
    h('h1', {}, TEXTS.fields.title),
    h('p', {}, TEXTS.fields.explanation),
    h('div', { class: 'row' }, drawing.element, fileButton(open)),
    drawing.hint,
    status,
    error,
    questions.element,
    pasteFields(add),
    batchInputs(session),
    modelChooser(session),
    naming.element,
    h('p', { class: 'row' }, totals, clear),
    estimate,
    chosen,
    h('div', { class: 'scroll' }, table.element),
  );

  let stopEditing: (() => void) | null = null;
  let editing: string | null = null;
  const edit = (id: string | null) => {
    if (id === editing) return;
    editing = id;
    stopEditing?.();
    const feature = id === null ? null : layer.featureOf(id);
    stopEditing =
      id === null || feature === null
        ? null
        : editField(map, feature, (polygon) => draft.change((now) => reshaped(now, id, polygon)));
    fill(chosen, id === null ? null : fieldInputs(session, id));
  };

  const unwatch = draft.watch((now) => {
    layer.show(shapesOf(now), now.selected);
    table.show(now);
    naming.show(now);
    const most = session.limits.jobs_per_batch;
    const isTooMany = now.fields.length > most;
    estimate.disabled = now.fields.length === 0 || isTooMany || !Number.isInteger(now.year);
    fill(
      totals,
      isTooMany
        ? TEXTS.fields.tooMany(now.fields.length, most)
        : now.fields.length === 0
          ? TEXTS.fields.none
          : TEXTS.fields.count(now.fields.length),
    );
    clear.hidden = now.fields.length === 0;
    // The corners of a field that is being drawn would take its last clicks.
    edit(drawing.isDrawing() ? null : now.selected);
  });

  return {
    title: TEXTS.fields.title,
    content,
    leave() {
      drawing.leave();
      unwatch();
      edit(null);
      left.abort();
      stopDrops();
      layer.remove();
    },
  };
}

function zoomTo({ draft, map }: Session, id: string): void {
  const field = draft.get().fields.find((candidate) => candidate.id === id);
  map.fit(boundsOf(field === undefined ? [] : [field.polygon]));
}

function zoomToAll({ draft, map, models }: Session): void {
  const polygons = draft.get().fields.map(({ polygon }) => polygon);
  map.fit(boundsOfCovered(polygons, models));
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
function acceptDrops(open: (files: readonly File[]) => void): () => void {
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
  document.addEventListener('dragover', over);
  document.addEventListener('dragleave', leave);
  document.addEventListener('drop', drop);
  return () => {
    document.removeEventListener('dragover', over);
    document.removeEventListener('dragleave', leave);
    document.removeEventListener('drop', drop);
  };
}

/** Text may be dragged too, such as into a text field. */
function hasFiles({ dataTransfer }: DragEvent): boolean {
  return dataTransfer?.types.includes('Files') === true;
}

function batchInputs({ draft }: Session): HTMLElement {
  const { year, batchName } = draft.get();
  const yearInput = h('input', { id: 'year', type: 'number', step: 1, value: year });
  const nameOfBatch = h('input', {
    id: 'batch-name',
    type: 'text',
    maxlength: 255,
    value: batchName,
  });
  const changed = (change: (now: Draft) => Draft) => () => draft.change(change);
  listen(yearInput, {
    input: changed((now) => ({
      ...now,
      year: yearInput.value === '' ? Number.NaN : Number(yearInput.value),
    })),
  });
  listen(nameOfBatch, { input: changed((now) => ({ ...now, batchName: nameOfBatch.value })) });
  return h(
    'div',
    { class: 'row' },
    h('label', { for: 'year' }, TEXTS.fields.year, yearInput),
    h('label', { for: 'batch-name' }, TEXTS.fields.batchName, nameOfBatch),
  );
}

/** Which attribute of the files names the fields; hidden without attributes. */
function nameChooser({ draft }: Session) {
  const chooser = h('select', { id: 'name-from' });
  const element = h('label', { for: 'name-from' }, TEXTS.fields.nameFrom, chooser);
  let shown = '';
  listen(chooser, { change: () => draft.change((now) => namedFrom(now, chooser.value)) });
  return {
    element,
    show(now: Draft) {
      const attributes = attributesOf(now);
      element.hidden = attributes.length === 0;
      if (shown === attributes.join('\n')) return;
      shown = attributes.join('\n');
      const unchanged = h('option', { value: '' }, TEXTS.fields.nameUnchanged);
      fill(chooser, unchanged, ...attributes.map((value) => h('option', { value }, value)));
    },
  };
}

function fieldInputs({ draft }: Session, id: string): HTMLElement | null {
  const field = draft.get().fields.find((candidate) => candidate.id === id);
  if (field === undefined) return null;
  const input = h('input', { id: 'field-name', type: 'text', maxlength: 255, value: field.name });
  listen(input, { input: () => draft.change((now) => renamed(now, id, input.value)) });
  return h(
    'div',
    {},
    h('p', {}, h('label', { for: 'field-name' }, TEXTS.fields.fieldName, input)),
    h('p', { class: 'muted' }, TEXTS.fields.editing),
  );
}
