import { h } from './element.ts';

/** Where `style/page.css` puts the map above the panel. */
const NARROW = matchMedia('(max-width: 47.99rem)');

/** The panel and the map, in the order in which they are seen: Tab and screen readers follow it. */
export function panes(panel: HTMLElement, map: HTMLElement): HTMLElement {
  const element = h('div', { class: 'panes' }, panel, map);
  const order = () => (NARROW.matches ? element.prepend(map) : element.append(map));
  NARROW.addEventListener('change', order);
  order();
  return element;
}
