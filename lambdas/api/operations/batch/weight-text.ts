import type { BodySize } from '../../../domain/admission/request-rate.ts';

/** How a body counts against the request rate, for the OpenAPI document. */
export function weightText({ jobs, bodyBytes }: BodySize): string {
  return `Counts against the request rate as one request for each ${jobs} jobs or ${bodyBytes / 1_000} kB of the decompressed body, whichever is more, but at most as half of \`requests_at_once\` (\`GET /v1/limits\`).`;
}
