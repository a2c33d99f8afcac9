import type { Chunk, RunFile } from './run-file.ts';

/** A batch that exists. */
export interface RunBatch {
  readonly id: string;
  readonly chunk: Chunk;
  readonly chunkIndex: number;
}

/** Every batch of the run, each chunk's oldest first. */
export function allBatches({ chunks }: RunFile): readonly RunBatch[] {
  return chunks.flatMap((chunk, chunkIndex) =>
    chunk.batches.flatMap(({ batch_id: id }) => (id === null ? [] : [{ id, chunk, chunkIndex }])),
  );
}

/** The newest batch of each chunk that has one, and of whose jobs the run still has some. */
export function latestBatches(run: RunFile): readonly RunBatch[] {
  const live = allBatches(run).filter(({ chunk }) => jobsIn(chunk).length > 0);
  const newest = new Map(live.map((batch) => [batch.chunkIndex, batch]));
  return [...newest.values()];
}

/** Indexes of a chunk's jobs, without those that the run no longer has. */
export function jobsIn({ jobs }: Chunk): readonly number[] {
  return jobs.filter((index) => index !== null);
}

/** The run with other batches of one chunk. */
export function withBatches(
  run: RunFile,
  chunkIndex: number,
  change: (batches: Chunk['batches']) => Chunk['batches'],
): RunFile {
  const chunks = run.chunks.map((chunk, index) =>
    index === chunkIndex ? { ...chunk, batches: change(chunk.batches) } : chunk,
  );
  return { ...run, chunks };
}

/** How many jobs no batch contains yet. */
export function jobsNotSubmitted({ chunks }: RunFile): number {
  return chunks
    .filter(({ batches: [creation] }) => creation.batch_id === null)
    .reduce((total, chunk) => total + jobsIn(chunk).length, 0);
}
