import { h } from '../element.ts';

/** Rows above and below those in view. */
const BEYOND = 10;

/** The height of `.jobs td` in the style sheet, in pixels, until the first shown row is measured. */
const HEIGHT = 49;

/** The body of a long table of rows of one height, of which only those in view are in the page. */
export function rowWindow(rowAt: (at: number) => HTMLTableRowElement | null) {
  const body = h('tbody', {});
  let frame: HTMLElement | null = null;
  let length = 0;
  let height = HEIGHT;
  let drawn = '';

  const draw = (anew: boolean) => {
    const top = frame?.scrollTop ?? 0;
    const view = frame?.clientHeight ?? 0;
    const first = Math.max(0, Math.floor(top / height) - BEYOND);
    const end = Math.min(length, Math.ceil((top + view) / height) + BEYOND);
    if (!anew && drawn === `${first} ${end}`) return;
    drawn = `${first} ${end}`;
    const focused = focusedIn(body);
    const rows = Array.from({ length: Math.max(0, end - first) }, (_, at) => {
      const row = rowAt(first + at);
      // The first is that of the titles.
      row?.setAttribute('aria-rowindex', String(first + at + 2));
      return row;
    }).filter((row) => row !== null);
    body.replaceChildren(spacer(first * height), ...rows, spacer((length - end) * height));
    if (focused !== null) focusIn(body, focused);
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
      // It has no height before the page shows it.
      new ResizeObserver(() => draw(false)).observe(scrolled);
    },
    /** Draws the rows again. */
    show(rows: number) {
      length = rows;
      draw(true);
    },
    /** Scrolls to a row; null if there is none. */
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

/** The height of rows that are not in the page. */
function spacer(pixels: number): HTMLElement {
  const cell = h('td', {});
  cell.style.height = `${pixels}px`;
  const row = h('tr', { class: 'spacer', 'aria-hidden': 'true' }, cell);
  row.hidden = pixels <= 0;
  return row;
}

/** The row and the control that have the focus, which a row that is drawn again keeps. */
function focusedIn(body: HTMLElement): string | null {
  const active = document.activeElement;
  if (active === null || !body.contains(active)) return null;
  return `[aria-rowindex="${active.closest('tr')?.ariaRowIndex}"] ${active.localName}`;
}

function focusIn(body: HTMLElement, selector: string): void {
  body.querySelector<HTMLElement>(selector)?.focus({ preventScroll: true });
}
