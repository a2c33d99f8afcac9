import * as z from 'zod/mini';

/**
 * Reads a text that the tab keeps until it is closed, even over a reload. Null if there is none, or if the browser
 * allows no storage.
 */
export function readStored(name: string): string | null {
  try {
    return sessionStorage.getItem(name);
  } catch {
    return null;
  }
}

/** Parses a value that the tab keeps as JSON; null if there is none, or if it does not match the schema. */
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
 * Keeps a text; null removes it. @returns false if the browser does not keep it, in which case no older text is left
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
