import type { ResultFile, Sink } from './sink.ts';

interface Held {
  readonly etag: string;
  chunks: Uint8Array[];
  whole: boolean;
}

/** A sink in memory, for pages that show results or hand them to the user as one `Blob` each. */
export class MemorySink implements Sink {
  readonly #files = new Map<string, Held>();

  async open({ name, etag }: ResultFile) {
    const earlier = this.#files.get(name);
    const same = earlier?.etag === etag;
    if (same && earlier.whole) return null;
    const held: Held = same ? earlier : { etag, chunks: [], whole: false };
    this.#files.set(name, held);
    return {
      held: sizeOf(held.chunks),
      write: async (chunk: Uint8Array) => {
        held.chunks.push(chunk);
      },
      restart: async () => {
        held.chunks = [];
      },
      finish: async () => {
        held.whole = true;
      },
      suspend: async () => {},
    };
  }

  /** The whole files by name. */
  files(): ReadonlyMap<string, Uint8Array> {
    const whole = [...this.#files].filter(([, { whole }]) => whole);
    return new Map(whole.map(([name, { chunks }]) => [name, joined(chunks)]));
  }
}

function sizeOf(chunks: readonly Uint8Array[]): number {
  return chunks.reduce((sum, { length }) => sum + length, 0);
}

function joined(chunks: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(sizeOf(chunks));
  let position = 0;
  for (const chunk of chunks) {
    whole.set(chunk, position);
    position += chunk.length;
  }
  return whole;
}
