import type { Polygonal } from '../fields/field.ts';
import { isPolygonal } from '../files/outline.ts';
import type { Session } from '../state/session.ts';

/** The polygons of a batch by job index: as this page sent them, or else from the batch's table. */
export async function readBatchPolygons(
  { client, polygons }: Session,
  batchId: string,
  signal: AbortSignal,
): Promise<ReadonlyMap<number, Polygonal>> {
  const known = polygons.get(batchId);
  if (known !== undefined) return known;
  const read = new Map<number, Polygonal>();
  for await (const { job_index, polygon } of client.batch(batchId).rows({ signal })) {
    // The table has null for polygons such as those with open rings.
    if (isPolygonal(polygon)) read.set(job_index, polygon);
  }
  polygons.set(batchId, read);
  return read;
}
