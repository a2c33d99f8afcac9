import { h } from './element.ts';

const BEYOND = 10;

/** The height of a row in pixels (`style/rows.css`), until the first shown row is measured. */
const HEIGHT = 49;

/** The rows must have equal heights; the page contains only those in and near the view. */
export function rowWindow(rowAt: (at: number) => HTMLTableRowElement | null) {
  const body = h('tbody', {});
  let frame: HTMLElement | null = null;
  let length = 0;
  let height = HEIGHT;
  let drawn = '';

  const draw = (again: boolean) => {
    const top = frame?.scrollTop ?? 0;
    const view = frame?.clientHeight ?? 0;
    const first = Math.max(0, Math.min(Math.floor(top / height), length) - BEYOND);
    const end = Math.min(length, Math.ceil((top + view) / height) + BEYOND);
    if (!again && drawn === `${first} ${end}`) return;
    drawn = `${first} ${end}`;
    const restoreFocus = rememberFocus(body);
    const rows = Array.from({ length: Math.max(0, end - first) }, (_, at) => {
      const row = rowAt(first + at);
      // The first row holds the titles.
      row?.setAttribute('aria-rowindex', String(first + at + 2));
      return row;
    }).filter((row) => row !== null);
    body.replaceChildren(spacer(first * height), ...rows, spacer((length - end) * height));
    // The browser may scroll to the top while the frame has no rows.
    if (frame !== null) frame.scrollTop = top;
    restoreFocus();
    const measured = rows[0]?.offsetHeight ?? 0;
    if (measured > 0 && measured !== height) {
      height = measured;
      draw(true);
    }
  };
  return {
    body,
    follow(scrolled: HTMLElement) {
      frame = scrolled;
      scrolled.addEventListener('scroll', () => draw(false), { passive: true });
      // The frame has no height before the page shows it.
      new ResizeObserver(() => draw(false)).observe(scrolled);
    },
    show(rows: number) {
      length = rows;
      draw(true);
    },
    reveal(at: number): HTMLElement | null {
      if (frame === null || at < 0) return null;
      const top = at * height;
      const isAbove = top < frame.scrollTop;
      if (isAbove || top + 2 * height > frame.scrollTop + frame.clientHeight) {
        frame.scrollTop = Math.max(0, top - frame.clientHeight / 2);
      }
      draw(false);
      return body.querySelector(`[aria-rowindex="${at + 2}"]`);
    },
  };
}

/** An empty row, as high as all the rows that it stands for. */
function spacer(pixels: number): HTMLElement {
  const cell = h('td', {});
  cell.style.height = `${pixels}px`;
  const row = h('tr', { class: 'spacer', 'aria-hidden': 'true' }, cell);
  row.hidden = pixels <= 0;
  return row;
}

const CONTROLS = 'a, button';

/**
 * Remembers which control in which row has the focus. @returns a function that focuses it again after a redraw,
 * or focuses the same control in the last row if its row is gone
 */
function rememberFocus(body: HTMLElement): () => void {
  const active = document.activeElement;
  const row = active !== null && body.contains(active) ? active.closest('tr') : null;
  if (active === null || row === null) return () => {};
  const place = row.ariaRowIndex;
  const at = [...row.querySelectorAll(CONTROLS)].indexOf(active);
  return () => {
    const kept = body.querySelector(`[aria-rowindex="${place}"]`);
    const now = kept ?? [...body.querySelectorAll('[aria-rowindex]')].at(-1);
    const control = now?.querySelectorAll<HTMLElement>(CONTROLS)[at];
    control?.focus({ preventScroll: true });
  };
}
