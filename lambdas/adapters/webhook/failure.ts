import type { Exchange } from '../../domain/delivery/outcome.ts';

/** Error codes of Node's resolver (`getaddrinfo` and c-ares). */
const DNS_CODE = /^(ENOTFOUND|ENODATA|EAI_[A-Z]+|ESERVFAIL|ENONAME|EREFUSED)$/;

/** Error codes of Node's TLS and of the certificate check in OpenSSL (`X509_V_ERR_…`). */
const TLS_CODE =
  /^(ERR_TLS_|ERR_SSL_|EPROTO$|CERT_|CRL_|UNABLE_TO_|DEPTH_ZERO_|SELF_SIGNED_|INVALID_CA$|INVALID_PURPOSE$|HOSTNAME_MISMATCH$|PATH_LENGTH_)/;

/** Which part of a connection failed, by the system's error code. */
export function failureOf(error: unknown): Exchange {
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
