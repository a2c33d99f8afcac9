import { invalidInputError } from './soil-error.ts';

/** Builds a path of the API. IDs are encoded, so that they cannot lead to another path. */
export function batchPath(batchId: string, ...rest: readonly string[]): string {
  return ['/v1/batch', batchId, ...rest]
    .map((part, i) => (i === 0 ? part : encodeSegment(part)))
    .join('/');
}

/** The URL parser would resolve a segment `..`, even as `%2e%2e`, so a segment of dots becomes `-`. */
export function encodeSegment(segment: string): string {
  return /^\.+$/.test(segment) ? '-' : encodeURIComponent(segment);
}

/** Loopback addresses and names (RFC 6761, section 6.3). */
const THIS_MACHINE = /^(localhost|.*\.localhost|127(\.\d+){3}|\[::1\])$/;

/** Parses a service's base URL, and removes trailing slashes and `/v1`. @throws SoilError `invalid-input` */
export function parseBaseUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || !/^https?:$/.test(url.protocol)) {
    throw invalidInputError('the base URL must be an https URL, such as https://v2.soil.example');
  }
  if (`${url.username}${url.password}${url.search}${url.hash}` !== '') {
    throw invalidInputError('the base URL must not have a user, query or fragment');
  }
  if (url.protocol === 'http:' && !THIS_MACHINE.test(url.hostname)) {
    throw invalidInputError(
      `${url.origin} would receive the API key unencrypted: use https (http is only for a service on this machine)`,
    );
  }
  return `${url.origin}${url.pathname}`.replace(/\/+(v1\/?)?$/, '');
}
