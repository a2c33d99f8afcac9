import { TransientFailure } from '../domain/transient-failure.ts';

/** What AWS SDK v3 puts on its errors (Smithy `ServiceException`), as far as it is looked at. */
interface ServiceError extends Error {
  readonly $retryable?: object;
  readonly $metadata?: { readonly httpStatusCode?: number };
  readonly code?: string;
}

/** Throttling answers that are 400s, and so not told by their status. */
const THROTTLING =
  /Throttl|TooManyRequests|ProvisionedThroughputExceeded|RequestLimitExceeded|SlowDown/;

const CONNECTION = /^(ECONNRESET|ECONNREFUSED|EPIPE|ETIMEDOUT|EAI_AGAIN|ENOTFOUND)$/;

/**
 * An error of a service that the SDK's own retries did not get past, as the one name that Step
 * Functions retries with patience; every other error as it is.
 */
export function namingTransient(error: unknown): unknown {
  if (!(error instanceof Error) || !isTransient(error)) return error;
  return new TransientFailure(`${error.name}: ${error.message}`, { cause: error });
}

function isTransient(error: ServiceError): boolean {
  const status = error.$metadata?.httpStatusCode ?? 0;
  return (
    error.$retryable !== undefined ||
    status === 429 ||
    status >= 500 ||
    THROTTLING.test(error.name) ||
    error.name === 'TimeoutError' ||
    CONNECTION.test(error.code ?? '')
  );
}
