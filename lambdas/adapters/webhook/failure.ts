import type { Exchange } from '../../domain/delivery/outcome.ts';

/** Error codes of Node's resolver (`getaddrinfo` and c-ares). */
const DNS_CODE = /^(ENOTFOUND|ENODATA|EAI_[A-Z]+|ESERVFAIL|ENONAME|EREFUSED)$/;

/** Error codes of Node's TLS and of the certificate check in OpenSSL (`X509_V_ERR_…`). */
const TLS_CODE =
  /^(ERR_TLS_|ERR_SSL_|EPROTO$|CERT_|CRL_|UNABLE_TO_|DEPTH_ZERO_|SELF_SIGNED_|INVALID_CA$|INVALID_PURPOSE$|HOSTNAME_MISMATCH$|PATH_LENGTH_)/;

/** Error codes of an IPv6 connection on a host without IPv6. */
const NO_ROUTE_CODE = /^(ENETUNREACH|EHOSTUNREACH|EADDRNOTAVAIL|EAFNOSUPPORT|ETIMEDOUT)$/;

export type Failed = Extract<Exchange, { readonly kind: 'failed' }>;

/** An address to which the connection failed. */
export interface AddressFailure {
  readonly family: 4 | 6;
  readonly error: unknown;
}

/** Why no connection could be opened: the cause at the first address, which is the preferred one. */
export function failureOf(failures: readonly AddressFailure[]): Failed {
  const [first] = failures;
  if (first === undefined) return { kind: 'failed', cause: 'dns', detail: 'no address' };
  const codes = failures.map(({ error }) => codeOf(error));
  const unreachable = codes.every((code) => NO_ROUTE_CODE.test(code));
  const ipv6Only = unreachable && failures.every(({ family }) => family === 6);
  return {
    kind: 'failed',
    cause: ipv6Only ? 'ipv6' : causeOf(codeOf(first.error)),
    detail: [...new Set(codes)].join(', '),
  };
}

/** Classifies a failed exchange by the system's error code. */
export function failureOfExchange(error: unknown): Failed {
  const code = codeOf(error);
  return { kind: 'failed', cause: causeOf(code), detail: code };
}

function causeOf(code: string): 'dns' | 'tls' | 'timeout' | 'connection' {
  if (DNS_CODE.test(code)) return 'dns';
  if (TLS_CODE.test(code)) return 'tls';
  return code === 'ETIMEDOUT' ? 'timeout' : 'connection';
}

function codeOf(error: unknown): string {
  if (error instanceof Error && 'code' in error && typeof error.code === 'string')
    return error.code;
  return error instanceof Error ? error.name : 'unknown';
}
