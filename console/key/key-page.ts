import { h } from '../element.ts';
import { TEXTS } from '../texts.ts';
import { keyForm, type Opened } from './key-form.ts';

/** The first page. */
export function keyPage(baseUrl: URL, opened: (opened: Opened) => void): HTMLElement {
  const { explanation, enter } = TEXTS.key;
  const heading = h('h1', { class: 'brand' }, TEXTS.title);
  return h('main', { class: 'key' }, keyForm(baseUrl, { heading, explanation, enter }, opened));
}
