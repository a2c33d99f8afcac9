import { type JobDetail, SoilError } from 'soil-batch-client';
import type { Polygonal } from '../fields/field.ts';
import { readBatchPolygons } from '../progress/batch-polygons.ts';
import { findDisplayRange, readDisplayRanges } from '../state/display-ranges.ts';
import type { Session } from '../state/session.ts';
import type { Range } from './colour-scale.ts';

export interface LoadedResult {
  readonly job: JobDetail;
  readonly polygon: Polygonal | undefined;
  /** The range of this model's values over the batch; null until the batch is finished. */
  readonly batchRange: Range | null;
  readonly readers: RasterReaders;
}

/** The GeoTIFF readers, which are loaded on demand. */
export type RasterReaders = Awaited<ReturnType<typeof loadRasterReaders>>;

/** @returns null if the batch has expired */
export async function loadResult(
  session: Session,
  batchId: string,
  jobId: string,
  signal: AbortSignal,
): Promise<LoadedResult | null> {
  const [found, readers] = await Promise.all([
    readJob(session, batchId, jobId, signal),
    loadRasterReaders(),
  ]);
  return found === null ? null : { ...found, readers };
}

async function readJob(session: Session, batchId: string, jobId: string, signal: AbortSignal) {
  const batch = session.client.batch(batchId);
  try {
    const job = await batch.job(jobId, { limit: 1, signal });
    const [polygons, ranges] = await Promise.all([
      readBatchPolygons(session, batchId, signal),
      readDisplayRanges(session, batchId, signal),
    ]);
    const polygon = polygons.get(job.job_index);
    return { job, polygon, batchRange: findDisplayRange(ranges, job.model) };
  } catch (reason) {
    if (isProblem('results-expired', reason)) return null;
    // Only a request for the batch's results shows whether it has expired.
    if (isProblem('batch-not-found', reason) && (await hasExpired(batch.item(jobId, { signal })))) {
      return null;
    }
    throw reason;
  }
}

async function hasExpired(result: Promise<unknown>): Promise<boolean> {
  return result.then(
    () => false,
    (reason) => isProblem('results-expired', reason),
  );
}

function isProblem(type: string, reason: unknown): boolean {
  return reason instanceof SoilError && reason.type === type;
}

async function loadRasterReaders() {
  const [{ drawsRasters, rasterLayer }, { readOverview }] = await Promise.all([
    import('../map/raster-layer.ts'),
    import('../map/overview.ts'),
  ]);
  return { drawsRasters, rasterLayer, readOverview };
}
