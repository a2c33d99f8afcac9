import type { Header } from './openapi.ts';

/** Headers of answers, each said once. */
const HEADERS = {
  'X-Request-Id': {
    description: 'Finds the request in the service’s logs. Absent on the gateway’s own errors.',
    schema: { type: 'string' },
  },
  'Cache-Control': {
    description: '`no-store` where the answer holds signed URLs.',
    schema: { type: 'string' },
  },
  ETag: {
    description: 'For `If-None-Match` of the next request. Absent where the answer holds URLs.',
    schema: { type: 'string' },
  },
  'Retry-After': {
    description: 'Seconds to wait before asking again; absent once nothing more will change.',
    schema: { type: 'integer', minimum: 0 },
  },
  Location: {
    description: 'Where the batch’s status is: of the new one, where one was made.',
    required: true,
    schema: { type: 'string', format: 'uri' },
  },
  'Idempotent-Replayed': {
    description:
      '`true` when a repeat is answered with the first request’s batch; absent otherwise.',
    schema: { type: 'string', const: 'true' },
  },
  'X-RateLimit-Limit-Jobs': {
    description: 'Jobs a UTC day.',
    schema: { type: 'integer', minimum: 0 },
  },
  'X-RateLimit-Remaining-Jobs': {
    description: 'Jobs that today still allows.',
    schema: { type: 'integer', minimum: 0 },
  },
  'X-RateLimit-Reset-Jobs': {
    description: 'Seconds to midnight UTC, when the next day’s quota begins.',
    schema: { type: 'integer', minimum: 1 },
  },
  'X-RateLimit-Limit-Hectares': {
    description: 'Charged hectares a UTC day.',
    schema: { type: 'number', minimum: 0 },
  },
  'X-RateLimit-Remaining-Hectares': {
    description: 'Charged hectares that today still allows.',
    schema: { type: 'number', minimum: 0 },
  },
  'X-RateLimit-Reset-Hectares': {
    description: 'Seconds to midnight UTC, when the next day’s quota begins.',
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
      'How the body may be packed (RFC 9110, section 12.5.3); there when its encoding was refused.',
    schema: { type: 'string' },
  },
} as const satisfies Record<string, Header>;

export type HeaderName = keyof typeof HEADERS;

/** On every answer to a creation that got as far as its quota. */
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
