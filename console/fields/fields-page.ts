import { askToConfirm } from '../confirm.ts';
import { button, fill, h, listen } from '../element.ts';
import { boundsOf, computeCoveredBounds } from '../map/bounds.ts';
import { isDense } from '../map/dense-outline.ts';
import { editField } from '../map/drawing.ts';
import { type FieldLayer, fieldLayer } from '../map/field-layer.ts';
import { pointer } from '../media.ts';
import type { Draft, PageView, Session } from '../state/session.ts';
import { TEXTS } from '../texts.ts';
import {
  addFields,
  listAttributes,
  makeShapes,
  nameFieldsFrom,
  polygonsOf,
  removeFields,
  renameField,
  reshapeField,
} from './draft.ts';
import { drawButton } from './draw-button.ts';
import type { Polygonal } from './field.ts';
import { fieldHistory } from './field-history.ts';
import { faultOf, fieldTable } from './field-table.ts';
import { type AddFields, fileOpener } from './file-opener.ts';
import { goToForm } from './go-to.ts';
import { modelChooser } from './model-chooser.ts';
import { pasteForm } from './paste-fields.ts';
import { undoButtons } from './undo-buttons.ts';

type ChangeDraft = (change: (now: Draft) => Draft) => void;

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
    remove: (id) => history.change((now) => removeFields(now, [id])),
  });
  const status = h('p', { role: 'status', class: 'muted' });

  const drawing = drawButton(map, {
    // Deselect, because clicks would also move and add corners of the selected field.
    started: () => select(null),
    drawn: (polygon) =>
      history.change((now) => addFields(now, [{ name: null, polygon, attributes: {} }])),
    changed: () => undoing.show(),
    ended: () => {
      edit(draft.get().selected);
      undoing.show();
    },
  });
  const history = fieldHistory(session, () => undoing.show());
  const undoing = undoButtons(() => (drawing.isDrawing() ? drawing.steps : history));

  const add: AddFields = (fields, instead = []) => {
    naming.reset();
    history.change((now) => addFields(removeFields(now, instead), fields));
    zoomToAll(session);
    return draft
      .get()
      .fields.slice(-fields.length)
      .map(({ id }) => id);
  };
  const left = new AbortController();
  const files = fileOpener(status, add, left.signal);

  const naming = nameChooser(session);
  const chosen = fieldInputs(session);
  const totals = fieldTotals(session, history.change, left.signal);
  const going = goToForm(session);
  const content = h(
    'div',
    {},
    h('h1', {}, TEXTS.fields.title),
    h('p', {}, TEXTS.fields.explanation[pointer()]),
    h('div', { class: 'row' }, drawing.element, files.button, undoing.element),
    drawing.messages,
    status,
    files.messages,
    going.element,
    pasteForm(add),
    batchInputs(session),
    modelChooser(session),
    naming.element,
    totals.row,
    totals.estimate,
    chosen.element,
    table.element,
  );

  const edit = outlineEditor(session, layer, history.change);
  const unwatch = draft.watch((now) => {
    layer.show(makeShapes(now), now.selected);
    table.show(now);
    naming.show(now);
    totals.show(now);
    // While a field is drawn, the corners of no other field may react to clicks.
    edit(drawing.isDrawing() ? null : now.selected);
    chosen.show(now);
  });

  undoing.show();

  return {
    title: TEXTS.fields.title,
    content,
    leave() {
      drawing.leave();
      undoing.leave();
      unwatch();
      edit(null);
      left.abort();
      going.leave();
      layer.remove();
    },
  };
}

/** Returns a function that makes the corners of one field editable; null ends the editing. */
function outlineEditor({ map }: Session, layer: FieldLayer, change: ChangeDraft) {
  let stop: (() => void) | null = null;
  let editing: string | null = null;
  return (id: string | null) => {
    if (id === editing) return;
    editing = id;
    stop?.();
    const feature = id === null ? null : layer.featureOf(id);
    stop =
      id === null || feature === null
        ? null
        : editField(map, feature, (polygon) => change((now) => reshapeField(now, id, polygon)));
  };
}

function fieldTotals({ draft, go, limits }: Session, change: ChangeDraft, left: AbortSignal) {
  const most = limits.jobs_per_batch;
  const count = h('span', {});
  const clear = button(
    TEXTS.fields.clear,
    async () => {
      const { clearQuestion, clear: agree, keep: refuse } = TEXTS.fields;
      const text = clearQuestion(draft.get().fields.length);
      if (await askToConfirm({ text, agree, refuse }, left)) {
        change((now) => ({ ...now, fields: [], selected: null, faults: new Map() }));
      }
    },
    { class: 'quiet' },
  );
  const estimate = button(TEXTS.fields.estimate, () => go({ page: 'estimate' }), { class: 'main' });
  return {
    row: h('p', { class: 'row' }, count, clear),
    estimate,
    show({ fields, year }: Draft) {
      const isTooMany = fields.length > most;
      estimate.disabled = fields.length === 0 || isTooMany || !Number.isInteger(year);
      fill(count, formatCount(fields.length, most));
      clear.hidden = fields.length === 0;
    },
  };
}

function formatCount(fields: number, most: number): string {
  if (fields > most) return TEXTS.fields.tooMany(fields, most);
  return fields === 0 ? TEXTS.fields.none : TEXTS.fields.count(fields);
}

function zoomTo({ draft, map }: Session, id: string): void {
  const field = draft.get().fields.find((candidate) => candidate.id === id);
  map.fit(boundsOf(polygonsOf(field === undefined ? [] : [field])));
}

function zoomToAll({ draft, map, models }: Session): void {
  map.fit(computeCoveredBounds(polygonsOf(draft.get().fields), models));
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

function nameChooser({ draft }: Session) {
  const chooser = h('select', { id: 'name-from' });
  const element = h('label', { for: 'name-from' }, TEXTS.fields.nameFrom, chooser);
  let shown = '';
  listen(chooser, { change: () => draft.change((now) => nameFieldsFrom(now, chooser.value)) });
  return {
    element,
    reset() {
      chooser.value = '';
    },
    show(now: Draft) {
      const attributes = listAttributes(now);
      element.hidden = attributes.length === 0;
      if (shown === attributes.join('\n')) return;
      shown = attributes.join('\n');
      const unchanged = h('option', { value: '' }, TEXTS.fields.nameUnchanged);
      fill(chooser, unchanged, ...attributes.map((value) => h('option', { value }, value)));
    },
  };
}

function fieldInputs({ draft }: Session) {
  const input = h('input', { id: 'field-name', type: 'text', maxlength: 255 });
  const fault = h('p', { class: 'error' });
  const hint = h('p', { class: 'muted' });
  const element = h(
    'div',
    {},
    h('p', {}, h('label', { for: 'field-name' }, TEXTS.fields.fieldName, input)),
    fault,
    hint,
  );
  listen(input, {
    input: () =>
      draft.change((now) =>
        now.selected === null ? now : renameField(now, now.selected, input.value),
      ),
  });
  return {
    element,
    show({ fields, selected, faults }: Draft) {
      const field = fields.find(({ id }) => id === selected);
      element.hidden = field === undefined;
      fill(fault, field === undefined ? null : faultOf(field, { faults }));
      fill(hint, chooseHint(field?.polygon ?? null));
      // Setting the text again would move the caret.
      if (field !== undefined && input.value !== field.name) input.value = field.name;
    },
  };
}

/** A field without a polygon cannot be edited on the map. */
function chooseHint(polygon: Polygonal | null): string | null {
  if (polygon === null) return null;
  return isDense(polygon) ? TEXTS.fields.dense : TEXTS.fields.editing[pointer()];
}
