import * as z from 'zod/mini';

/** What the tab keeps over a reload, until it is closed. A browser that allows no storage keeps nothing. */
export function readStored(name: string): string | null {
  try {
    return sessionStorage.getItem(name);
  } catch {
    return null;
  }
}

/** A value that the tab keeps as JSON; null if it keeps nothing, or another version of the page wrote it. */
export function parseStored<Schema extends z.ZodMiniType>(
  name: string,
  schema: Schema,
): z.output<Schema> | null {
  try {
    return z.parse(schema, JSON.parse(readStored(name) ?? ''));
  } catch {
    return null;
  }
}

/**
 * Keeps a text, or removes it with null.
 * @returns false if the browser does not keep it: its storage takes about five million characters. Nothing older is
 *   left under the name then.
 */
export function writeStored(name: string, text: string | null): boolean {
  try {
    sessionStorage.removeItem(name);
    if (text !== null) sessionStorage.setItem(name, text);
    return true;
  } catch {
    return text === null;
  }
}
