import { readStored, writeStored } from './tab-storage.ts';

const STORED = 'key';

export interface KeptKey {
  readonly isKept: boolean;
  readonly read: () => string | null;
  readonly write: (key: string | null) => void;
}

/** @param isKept false if pages of other sites share the origin and could read the tab's storage */
export function keptKey(isKept: boolean): KeptKey {
  return {
    isKept,
    read: () => (isKept ? readStored(STORED) : null),
    write(key) {
      if (isKept) writeStored(STORED, key);
    },
  };
}
