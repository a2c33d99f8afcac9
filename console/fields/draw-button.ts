import { button, fill, h } from '../element.ts';
import { drawField } from '../map/drawing.ts';
import type { SoilMap } from '../map/soil-map.ts';
import { pointer } from '../media.ts';
import { TEXTS } from '../texts.ts';
import type { Polygonal } from './field.ts';

/** A double click that ends a field takes less; its second click must not zoom, nor remove a corner. */
const DOUBLE_CLICK_MS = 300;

export interface DrawEvents {
  readonly started: () => void;
  readonly drawn: (polygon: Polygonal) => void;
  /** The next clicks may do something else. */
  readonly ended: () => void;
}

/** Starts to draw a field on the map, and ends it. Escape discards what is drawn. */
export function drawButton(map: SoilMap, { started, drawn, ended }: DrawEvents) {
  const hint = h('p', { role: 'status', class: 'muted' });
  let drawing: ReturnType<typeof drawField> | null = null;
  const start = () => {
    fill(draw, TEXTS.fields.stopDrawing);
    draw.ariaPressed = 'true';
    fill(hint, TEXTS.fields.drawing[pointer()]);
    const now = drawField(map, (polygon) => {
      drawn(polygon);
      setTimeout(() => {
        if (drawing === now) end();
      }, DOUBLE_CLICK_MS);
    });
    drawing = now;
    // Its keys are those of the map.
    map.element.focus();
    started();
  };
  const end = () => {
    if (drawing === null) return;
    drawing.stop();
    drawing = null;
    fill(draw, TEXTS.fields.draw);
    draw.ariaPressed = 'false';
    fill(hint);
    ended();
  };
  /** Keeps a field that has enough corners. */
  const finish = () => {
    drawing?.finish();
    end();
  };
  const endByEscape = ({ key }: KeyboardEvent) => {
    if (key !== 'Escape' || drawing === null) return;
    end();
    draw.focus();
  };
  const draw = button(TEXTS.fields.draw, () => (drawing === null ? start() : finish()), {
    'aria-pressed': 'false',
  });
  document.addEventListener('keydown', endByEscape);
  return {
    element: draw,
    hint,
    isDrawing: () => drawing !== null,
    leave() {
      finish();
      document.removeEventListener('keydown', endByEscape);
    },
  };
}
