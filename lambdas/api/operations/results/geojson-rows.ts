import { RawJson, stringify } from '#engine/json/raw-json.ts';
import type { ResultRow } from '../../../domain/batch/read-results.ts';
import { geometryIn } from '../../../domain/job/job-text.ts';
import type { ResultRowView } from './result-row.ts';

/** A GeoJSON Feature (RFC 7946, section 3.2). */
export function featureOf({ job, text, parts, properties }: ResultRow, row: ResultRowView): string {
  const sent = properties === null ? null : new RawJson(properties);
  return stringify({
    type: 'Feature',
    id: job.job_id,
    geometry: new RawJson(geometryIn(text, parts) ?? 'null'),
    properties: new RawJson(stringify({ ...row, properties: sent })),
  });
}
