import { type JobDetail, SoilError } from 'soil-batch-client';
import type { Polygonal } from '../fields/field.ts';
import { batchPolygons } from '../progress/batch-polygons.ts';
import type { Session } from '../state/session.ts';

/** What the page of a result shows. */
export interface LoadedResult {
  readonly job: JobDetail;
  readonly polygon: Polygonal | undefined;
  readonly readers: RasterReaders;
}

/** The readers of GeoTIFF, which no other page needs. */
export type RasterReaders = Awaited<ReturnType<typeof rasterReaders>>;

/** @returns null if the batch has expired */
export async function loadResult(
  session: Session,
  batchId: string,
  jobId: string,
  signal: AbortSignal,
): Promise<LoadedResult | null> {
  const [found, readers] = await Promise.all([
    jobOf(session, batchId, jobId, signal),
    rasterReaders(),
  ]);
  return found === null ? null : { ...found, readers };
}

async function jobOf(session: Session, batchId: string, jobId: string, signal: AbortSignal) {
  const batch = session.client.batch(batchId);
  try {
    const job = await batch.job(jobId, { limit: 1, signal });
    const polygons = await batchPolygons(session, batchId, signal);
    return { job, polygon: polygons.get(job.job_index) };
  } catch (reason) {
    if (isOf('results-expired', reason)) return null;
    // Only the results of a batch tell whether it has expired.
    if (isOf('batch-not-found', reason) && (await hasExpired(batch.item(jobId, { signal })))) {
      return null;
    }
    throw reason;
  }
}

async function hasExpired(result: Promise<unknown>): Promise<boolean> {
  return result.then(
    () => false,
    (reason) => isOf('results-expired', reason),
  );
}

function isOf(type: string, reason: unknown): boolean {
  return reason instanceof SoilError && reason.type === type;
}

async function rasterReaders() {
  const [{ rasterLayer }, { readOverview }] = await Promise.all([
    import('../map/raster-layer.ts'),
    import('../map/overview.ts'),
  ]);
  return { rasterLayer, readOverview };
}
