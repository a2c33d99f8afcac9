import { button, fill, h } from './element.ts';
import { TEXTS } from './texts.ts';

export function copyButton(source: HTMLElement, attributes = {}): readonly HTMLElement[] {
  const status = h('span', { role: 'status' });
  const copy = button(
    TEXTS.copy.copy,
    async () => {
      try {
        await navigator.clipboard.writeText(source.textContent ?? '');
        fill(status, TEXTS.copy.copied);
      } catch {
        // If the browser does not let the page copy, the user copies the selection.
        getSelection()?.selectAllChildren(source);
        fill(status, TEXTS.copy.selected);
      }
    },
    attributes,
  );
  return [copy, status];
}
