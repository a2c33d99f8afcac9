import type { ProblemType } from '../openapi.ts';

/** Errors of the client itself, in addition to the API's problems. */
export type ClientProblem =
  /** No response: the connection failed, was reset, or took too long. */
  | 'network'
  /** A response or webhook that does not match the API: a proxy's HTML, a redirect, a missing field. */
  | 'not-the-service'
  /** `waitFor` reached its timeout. */
  | 'timeout'
  /** An argument is not valid; nothing was sent. */
  | 'invalid-input'
  /** A result could not be downloaded. */
  | 'download'
  /** A webhook is not signed by the service. */
  | 'signature'
  /** A signed webhook's timestamp is too far from the current time. */
  | 'timestamp';

/** Any string, because a newer service may have problems that this client does not know. */
export type SoilErrorType = ProblemType | ClientProblem | (string & Record<never, never>);

/** A violation in a request or response: a JSON pointer (RFC 6901) and what is wrong there. */
export interface Violation {
  readonly pointer: string;
  readonly message: string;
}

interface Details {
  readonly type: SoilErrorType;
  readonly status?: number | null;
  readonly errors?: readonly Violation[];
  readonly requestId?: string | null;
  readonly retryAfter?: number | null;
  readonly page?: string | null;
  readonly cause?: unknown;
}

/** Every error of this client, except the reason of an aborted signal, which is thrown unchanged. */
export class SoilError extends Error {
  override readonly name = 'SoilError';
  /** The last part of the API problem's `type`, such as `quota-exceeded`, or a problem of the client. */
  readonly type: SoilErrorType;
  /** The HTTP status of the response that caused the error; null if it is unknown or there was no response. */
  readonly status: number | null;
  /** The violations in an invalid request or response. */
  readonly errors: readonly Violation[];
  /** Identifies the request in the service's logs. */
  readonly requestId: string | null;
  /** Seconds after which the same request may succeed. */
  readonly retryAfter: number | null;
  /** The URL of the page that explains the problem. */
  readonly page: string | null;

  constructor(message: string, details: Details) {
    super(message, details.cause === undefined ? {} : { cause: details.cause });
    this.type = details.type;
    this.status = details.status ?? null;
    this.errors = details.errors ?? [];
    this.requestId = details.requestId ?? null;
    this.retryAfter = details.retryAfter ?? null;
    this.page = details.page ?? null;
  }
}

export function notTheServiceError(
  message: string,
  details: Omit<Details, 'type'> = {},
): SoilError {
  return new SoilError(message, { type: 'not-the-service', ...details });
}

export function invalidInputError(message: string, errors: readonly Violation[] = []): SoilError {
  return new SoilError(message, { type: 'invalid-input', errors });
}
