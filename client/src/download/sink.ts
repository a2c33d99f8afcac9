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
  /** Not finished; keeps what was written for the next download. */
  suspend(): Promise<void>;
}
