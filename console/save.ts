import { h } from './element.ts';

const KEPT_MS = 60_000;

/** Saves content that was fetched with the key, which a link could not send. */
export function save(name: string, content: Blob): void {
  const url = URL.createObjectURL(content);
  const link = h('a', { href: url, download: name });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(url), KEPT_MS);
}
