import { button, fill, h } from '../element.ts';
import { drawField, type Sketch } from '../map/drawing.ts';
import type { SoilMap } from '../map/soil-map.ts';
import { pointer } from '../media.ts';
import { TEXTS } from '../texts.ts';
import type { Polygonal } from './field.ts';
import type { Steps } from './undo-buttons.ts';

/** When a double click ends a field, its second click must not zoom or remove a corner. */
const DOUBLE_CLICK_MS = 300;

export interface DrawEvents {
  readonly started: () => void;
  readonly drawn: (polygon: Polygonal) => void;
  readonly changed: () => void;
  readonly ended: () => void;
}

const NOTHING: Sketch = { corners: 0, canRedo: false, setByKey: null };

/** Escape discards the drawing. */
export function drawButton(map: SoilMap, { started, drawn, changed, ended }: DrawEvents) {
  const hint = h('p', { class: 'muted' });
  // This text is for screen readers; sighted users see the corners on the map.
  const said = h('p', { role: 'status', class: 'visually-hidden' });
  let drawing: ReturnType<typeof drawField> | null = null;
  let sketch = NOTHING;
  const start = () => {
    fill(draw, TEXTS.fields.stopDrawing);
    draw.ariaPressed = 'true';
    const howTo = TEXTS.fields.drawing[pointer()];
    fill(hint, howTo);
    fill(said, howTo);
    const now = drawField(map, {
      drawn(polygon) {
        drawn(polygon);
        fill(said, TEXTS.fields.drawn);
        setTimeout(() => {
          if (drawing === now) end();
        }, DOUBLE_CLICK_MS);
      },
      changed(next) {
        if (next.corners !== sketch.corners) fill(said, describeCorners(next, sketch));
        sketch = next;
        changed();
      },
    });
    drawing = now;
    // The keys for drawing work while the map has the focus.
    map.element.focus();
    started();
  };
  const end = () => {
    if (drawing === null) return;
    drawing.stop();
    drawing = null;
    sketch = NOTHING;
    fill(draw, TEXTS.fields.draw);
    draw.ariaPressed = 'false';
    fill(hint);
    ended();
  };
  const finish = () => {
    drawing?.finish();
    end();
  };
  const endByEscape = ({ key }: KeyboardEvent) => {
    if (key !== 'Escape' || drawing === null) return;
    end();
    fill(said, TEXTS.fields.cancelled);
    draw.focus();
  };
  const draw = button(TEXTS.fields.draw, () => (drawing === null ? start() : finish()), {
    'aria-pressed': 'false',
  });
  document.addEventListener('keydown', endByEscape);
  const steps: Steps = {
    canUndo: () => sketch.corners > 0,
    canRedo: () => sketch.canRedo,
    undo: () => drawing?.undo(),
    redo: () => drawing?.redo(),
  };
  return {
    element: draw,
    messages: h('div', {}, hint, said),
    isDrawing: () => drawing !== null,
    steps,
    leave() {
      finish();
      document.removeEventListener('keydown', endByEscape);
    },
  };
}

function describeCorners({ corners, setByKey }: Sketch, before: Sketch): string {
  if (corners < before.corners) return TEXTS.fields.cornerRemoved(corners);
  return TEXTS.fields.cornerSet(corners, setByKey);
}
