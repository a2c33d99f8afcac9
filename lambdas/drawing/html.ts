/** Escaped HTML. Any other text is escaped when it is inserted. */
export interface Html {
  readonly html: string;
}

type Part = Html | string | number | null | readonly Part[];

/** Escapes every value, unless the value is HTML from this function. */
export function html(strings: TemplateStringsArray, ...parts: readonly Part[]): Html {
  const rest = strings.slice(1).map((text, at) => `${htmlOf(parts[at] ?? null)}${text}`);
  return { html: `${strings[0]}${rest.join('')}` };
}

function htmlOf(part: Part): string {
  if (part === null) return '';
  if (typeof part === 'string' || typeof part === 'number') return escapeText(String(part));
  return isList(part) ? part.map(htmlOf).join('') : part.html;
}

const isList = (part: Html | readonly Part[]): part is readonly Part[] => Array.isArray(part);

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
  '`': '&#96;',
};

/** Escapes element content and quoted attributes (OWASP's Cross Site Scripting Prevention Cheat Sheet). */
function escapeText(text: string): string {
  return text.replace(/[&<>"'`]/g, (character) => ENTITIES[character] ?? '');
}
