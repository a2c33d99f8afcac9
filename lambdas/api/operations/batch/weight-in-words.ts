import type { BodySize } from '../../../domain/admission/request-rate.ts';

/** How much of the request rate a body takes, for the OpenAPI document. */
export function weightInWords({ jobs, bodyBytes }: BodySize): string {
  return `Counts against the request rate as one request for each ${jobs} jobs or ${bodyBytes / 1_000} kB of the unpacked body, whichever gives more, and as half of \`requests_at_once\` (\`GET /v1/limits\`) at most.`;
}
