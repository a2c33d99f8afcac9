import { readStored, writeStored } from './tab-storage.ts';

const STORED = 'key';

/** Where the tab keeps its key over a reload. */
export interface KeptKey {
  readonly isKept: boolean;
  readonly read: () => string | null;
  /** Keeps a key, or removes it with null. */
  readonly write: (key: string | null) => void;
}

/** @param isKept false if other sites' pages share the origin: they could read the tab's storage */
export function keptKey(isKept: boolean): KeptKey {
  return {
    isKept,
    read: () => (isKept ? readStored(STORED) : null),
    write(key) {
      if (isKept) writeStored(STORED, key);
    },
  };
}
