import { TransientFailure } from '../domain/step-failure.ts';

/** The fields read here of AWS SDK v3 errors (Smithy `ServiceException`). */
interface ServiceError extends Error {
  readonly $retryable?: object;
  readonly $metadata?: { readonly httpStatusCode?: number };
  readonly code?: string;
}

/** Throttling errors that have status 400. */
const THROTTLING =
  /Throttl|TooManyRequests|ProvisionedThroughputExceeded|RequestLimitExceeded|SlowDown/;

const CONNECTION = /^(ECONNRESET|ECONNREFUSED|EPIPE|ETIMEDOUT|EAI_AGAIN|ENOTFOUND)$/;

/**
 * Converts transient service errors that outlasted the SDK's retries to an error whose name makes Step Functions retry
 * the step; returns other errors unchanged.
 */
export function asTransientFailure(error: unknown): unknown {
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
