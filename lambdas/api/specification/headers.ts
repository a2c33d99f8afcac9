import type { Header } from './openapi.ts';

/** Headers of answers, each said once. */
export const HEADERS = {
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
    description: 'The status of the new batch.',
    required: true,
    schema: { type: 'string', format: 'uri' },
  },
  'WWW-Authenticate': {
    description: 'How to send the key (RFC 6750).',
    schema: { type: 'string', const: 'Bearer' },
  },
  'Accept-Post': {
    description: 'The media type to send.',
    schema: { type: 'string', const: 'application/json' },
  },
} as const satisfies Record<string, Header>;

export type HeaderName = keyof typeof HEADERS;

export function headersNamed(...names: readonly HeaderName[]): Readonly<Record<string, Header>> {
  return Object.fromEntries(names.map((name) => [name, HEADERS[name]]));
}
