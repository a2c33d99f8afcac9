import { parseJobPolygon } from '#engine/geometry/parse.ts';
import type { MultiPolygonRings } from '#engine/geometry/polygon.ts';
import type { BatchId } from '../../identity.ts';
import type { JobEntry, JobRequests } from '../job-requests.ts';
import { polygonIn } from '../job-text.ts';

/** The polygon of a job that is planned, and therefore valid. */
export async function plannedPolygon(
  jobRequests: Pick<JobRequests, 'job'>,
  batchId: BatchId,
  entry: JobEntry,
): Promise<MultiPolygonRings> {
  const parsed = parseJobPolygon(polygonIn(await jobRequests.job(batchId, entry)));
  if (parsed.kind === 'problem') throw new Error(`a planned polygon is invalid: ${parsed.code}`);
  return parsed.polygon;
}
