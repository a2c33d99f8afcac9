/** What the tab keeps over a reload, until it is closed. A browser that allows no storage keeps nothing. */
export function readStored(name: string): string | null {
  try {
    return sessionStorage.getItem(name);
  } catch {
    return null;
  }
}

/** Keeps a text, or removes it with null. */
export function writeStored(name: string, text: string | null): void {
  try {
    if (text === null) sessionStorage.removeItem(name);
    else sessionStorage.setItem(name, text);
  } catch {
    // It may be full, too: the tab works without.
  }
}
