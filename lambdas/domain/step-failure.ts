import * as z from 'zod/mini';
import type { PatchBatchFailure } from './patch-batch/patch-batch.ts';

/**
 * A failure that may soon pass: contention, throttling or a fault of a service. Step Functions retries it by its name,
 * which is a literal, so that minification does not change it.
 */
export class TransientFailure extends Error {
  override readonly name = 'TransientFailure';
}

/** The error that Step Functions passes to a Catch. */
export interface StepError {
  readonly Error: string;
  /** JSON with `errorType` and `errorMessage` if a function threw; otherwise free text. */
  readonly Cause?: string | undefined;
}

const lambdaError = z.object({ errorType: z.optional(z.string()), errorMessage: z.string() });

/** Messages of unknown errors go only to the log, because they may contain URLs. */
export function describeStepFailure(error: StepError): PatchBatchFailure {
  const message = messageOf(error.Cause);
  const known = FAILURE_RULES.find(({ matches }) => matches(error.Error, message));
  if (known !== undefined) return { code: known.code, reason: known.sentence(message) };
  return {
    code: 'internal',
    reason: `The service had an unexpected error (${nameOf(error.Error)}). Send the job again.`,
  };
}

interface FailureRule {
  readonly matches: (name: string, message: string) => boolean;
  readonly code: PatchBatchFailure['code'];
  readonly sentence: (message: string) => string;
}

/** Tried in order. A memory or time limit reaches Step Functions under several names. */
const FAILURE_RULES: readonly FailureRule[] = [
  {
    matches: (name) => name === 'CovariateUnavailable',
    code: 'covariate_unavailable',
    sentence: (message) => `Input data of the model could not be read: ${shortenMessage(message)}.`,
  },
  {
    matches: (name) =>
      /^(ModelInvalid|GraphNotSupported|PackInvalid|PackFileUnavailable|ValueNotStorable)$/.test(
        name,
      ),
    code: 'model_invalid',
    sentence: (message) =>
      `The deployed model cannot be used: ${shortenMessage(message)}. The operator must repair and redeploy it; sending the job again does not help.`,
  },
  {
    matches: (name, message) =>
      /OutOfMemory/i.test(name) || /signal: killed|out of memory|heap limit/i.test(message),
    code: 'internal',
    sentence: () => 'The step ran out of memory, and so did its retries.',
  },
  {
    matches: (name, message) =>
      /^(States\.Timeout|Sandbox\.Timedout)$/.test(name) || /timed out/i.test(message),
    code: 'internal',
    sentence: () => 'The step exceeded its time limit, and so did its retries.',
  },
  {
    matches: (name) =>
      /^TransientFailure$|^Lambda\.(TooManyRequests|Service|AWSLambda|SdkClient|ClientExecutionTimeout)Exception$/.test(
        name,
      ),
    code: 'internal',
    sentence: () =>
      'The step failed because of a temporary fault or throttling, and so did its retries.',
  },
  {
    matches: (name) => name === 'Lambda.Unknown' || name === 'Runtime.ExitError',
    code: 'internal',
    sentence: () => 'The step ended without a response, and so did its retries.',
  },
];

function messageOf(cause: string | undefined): string {
  if (cause === undefined) return '';
  try {
    const parsed = lambdaError.safeParse(JSON.parse(cause));
    return parsed.success ? parsed.data.errorMessage : '';
  } catch {
    return cause;
  }
}

const LONGEST_MESSAGE = 300;

/** Returns the first line without URLs, because URLs may be signed. */
function shortenMessage(message: string): string {
  const line = message.split('\n', 1)[0] ?? '';
  const plain = line.replace(/\b[a-z][a-z0-9+.-]*:\/\/\S+/gi, '[URL]').replace(/\.$/, '');
  return plain.length > LONGEST_MESSAGE ? `${plain.slice(0, LONGEST_MESSAGE)}…` : plain;
}

function nameOf(error: string): string {
  return /^[A-Za-z][A-Za-z0-9.]{0,80}$/.test(error) ? error : 'unnamed';
}
