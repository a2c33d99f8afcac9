import type { Polygonal } from '../fields/field.ts';
import { isPolygonal } from '../files/outline.ts';
import type { Session } from '../state/session.ts';

/** The polygons of a batch by the index of their job: as this page sent them, or from the batch's table. */
export async function readBatchPolygons(
  { client, polygons }: Session,
  batchId: string,
  signal: AbortSignal,
): Promise<ReadonlyMap<number, Polygonal>> {
  const known = polygons.get(batchId);
  if (known !== undefined) return known;
  const read = new Map<number, Polygonal>();
  for await (const { job_index, polygon } of client.batch(batchId).rows({ signal })) {
    // An invalid polygon of a client is there as it was sent.
    if (isPolygonal(polygon)) read.set(job_index, polygon);
  }
  polygons.set(batchId, read);
  return read;
}
