import { TransientFailure } from '../domain/step-failure.ts';

/**
 * The fields that are read here: those of an AWS SDK v3 error (Smithy `ServiceException`), and the `code` of a Node
 * system error.
 */
interface ServiceError extends Error {
  readonly $retryable?: object;
  readonly $metadata?: { readonly httpStatusCode?: number };
  readonly code?: string;
}

/** Names of throttling errors, some of which have status 400. */
const THROTTLING =
  /Throttl|TooManyRequests|ProvisionedThroughputExceeded|RequestLimitExceeded|SlowDown/;

const CONNECTION = /^(ECONNRESET|ECONNREFUSED|EPIPE|ETIMEDOUT|EAI_AGAIN|ENOTFOUND)$/;

/**
 * Converts a transient error to a TransientFailure, the name by which Step Functions retries a step. Returns any other
 * error unchanged.
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
