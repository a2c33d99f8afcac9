import type { Job } from 'soil-batch-client';
import type { ResultJob } from './result-job.ts';

/**
 * The failed fields, and a point for each fault whose place is known. Null if none failed.
 */
export function failedGeoJson(jobs: readonly ResultJob[]): string | null {
  const features = jobs.flatMap((one) =>
    one.job?.status === 'failed' ? failure(one, one.job) : [],
  );
  if (features.length === 0) return null;
  // A line per feature can be read and compared.
  const lines = features.map((feature) => JSON.stringify(feature)).join(',\n');
  return `{"type":"FeatureCollection","features":[\n${lines}\n]}\n`;
}

function failure({ field, name, year }: ResultJob, job: Job): readonly object[] {
  const { error_code, error_message, error_location, job_id } = job;
  const properties = { name, year, error_code, error_message, job_id };
  const polygon = {
    type: 'Feature',
    geometry: field.geometry,
    properties: { part: 'field', ...properties },
  };
  if (error_location === null) return [polygon];
  const { ring, vertex, lon, lat } = error_location;
  const geometry = { type: 'Point', coordinates: [lon, lat] };
  return [
    polygon,
    { type: 'Feature', geometry, properties: { part: 'fault', ...properties, ring, vertex } },
  ];
}
