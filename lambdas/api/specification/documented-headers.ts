import type { Header } from './openapi.ts';

const HEADERS = {
  'X-Request-Id': {
    description:
      'Identifies the request in the service’s logs. Absent from errors of the gateway itself.',
    schema: { type: 'string' },
  },
  'Cache-Control': {
    description: 'Whether the response may be cached; `no-store` if it contains signed URLs.',
    schema: { type: 'string' },
  },
  ETag: {
    description:
      'To be sent as `If-None-Match` with the next request. Absent if the response may contain signed URLs.',
    schema: { type: 'string' },
  },
  Link: {
    description: 'Link to the next page, with `rel="next"` (RFC 8288); absent on the last page.',
    schema: { type: 'string' },
  },
  'Batch-Finished': {
    description: '`true` or `false`: whether the batch is finished.',
    schema: { type: 'string' },
  },
  'Content-Disposition': {
    description: 'A file name (RFC 6266).',
    schema: { type: 'string' },
  },
  'Retry-After': {
    description:
      'Seconds to wait before the next request; absent once the state is final, and if the same request would fail again.',
    schema: { type: 'integer', minimum: 0 },
  },
  Location: {
    description:
      'The URL of the batch status (of the new batch, if one was created). On a redirect, the signed URL of the raster, or the URL of `/docs`.',
    required: true,
    schema: { type: 'string', format: 'uri' },
  },
  'Idempotent-Replayed': {
    description:
      '`true` if a repeated request returns the batch of the first request; otherwise absent.',
    schema: { type: 'string', const: 'true' },
  },
  'X-RateLimit-Limit-Jobs': {
    description: 'Jobs per UTC day.',
    schema: { type: 'integer', minimum: 0 },
  },
  'X-RateLimit-Remaining-Jobs': {
    description: 'Jobs still available today.',
    schema: { type: 'integer', minimum: 0 },
  },
  'X-RateLimit-Reset-Jobs': {
    description: 'Seconds to midnight UTC, when the quota resets.',
    schema: { type: 'integer', minimum: 1 },
  },
  'X-RateLimit-Limit-Hectares': {
    description: 'Hectares that can be charged per UTC day.',
    schema: { type: 'number', minimum: 0 },
  },
  'X-RateLimit-Remaining-Hectares': {
    description: 'Hectares that can still be charged today.',
    schema: { type: 'number', minimum: 0 },
  },
  'X-RateLimit-Reset-Hectares': {
    description: 'Seconds to midnight UTC, when the quota resets.',
    schema: { type: 'integer', minimum: 1 },
  },
  'WWW-Authenticate': {
    description: 'How to send the key (RFC 6750).',
    schema: { type: 'string', const: 'Bearer' },
  },
  'Accept-Post': {
    description: 'The media type to send.',
    schema: { type: 'string', const: 'application/json' },
  },
  'Accept-Encoding': {
    description:
      'The accepted content encodings (RFC 9110, section 12.5.3); present when the body’s encoding was rejected.',
    schema: { type: 'string' },
  },
} as const satisfies Record<string, Header>;

export type HeaderName = keyof typeof HEADERS;

export const RATE_LIMIT_HEADERS = [
  'X-RateLimit-Limit-Jobs',
  'X-RateLimit-Remaining-Jobs',
  'X-RateLimit-Reset-Jobs',
  'X-RateLimit-Limit-Hectares',
  'X-RateLimit-Remaining-Hectares',
  'X-RateLimit-Reset-Hectares',
] as const satisfies readonly HeaderName[];

export function headersNamed(...names: readonly HeaderName[]): Readonly<Record<string, Header>> {
  return Object.fromEntries(names.map((name) => [name, HEADERS[name]]));
}
