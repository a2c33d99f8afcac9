import type { Job } from '../schemas.ts';

/** The raster of a job, as a sink stores it. */
export interface ResultFile {
  /** A file name without folders, unique within the download. */
  readonly name: string;
  readonly job: Job;
  readonly bytes: number;
  /** Identifies the content, as the header `ETag` of the download does. */
  readonly etag: string;
}

/** Where results are downloaded to. `soil-batch-client/node` has one for folders. */
export interface Sink {
  /** Starts or continues a file; null if the sink holds all of this content already. */
  open(file: ResultFile): Promise<SinkFile | null>;
}

/** One file that is being written. Calls do not overlap. */
export interface SinkFile {
  /** How many bytes of this content an earlier download left; writing continues after them. */
  readonly held: number;
  write(chunk: Uint8Array): Promise<void>;
  /** Discards everything that was written; writing continues at the start. */
  restart(): Promise<void>;
  /** All bytes are written: makes the file visible under its name. */
  finish(): Promise<void>;
  /** Ends an unfinished file, and keeps what was written for the next download. */
  suspend(): Promise<void>;
}

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
