import * as z from 'zod';
import type { PatchBatchFailure } from './patch-batch/patch-batch-store.ts';

/** What Step Functions hands to a Catch. */
export interface StepError {
  readonly Error: string;
  /** Of a function's own error: JSON with `errorType` and `errorMessage`; else free text. */
  readonly Cause?: string | undefined;
}

const lambdaError = z.object({ errorType: z.string().optional(), errorMessage: z.string() });

/**
 * Why a step failed for good, for a person. Messages of unknown errors are left to the log: they
 * may hold addresses, and a stack says nothing to a client.
 */
export function describeStepFailure(error: StepError): PatchBatchFailure {
  const message = messageOf(error.Cause);
  const known = SENTENCES.find(({ matches }) => matches(error.Error, message));
  if (known !== undefined) return { code: known.code, reason: known.sentence(message) };
  return {
    code: 'internal',
    reason: `An unexpected error of the service (${nameOf(error.Error)}). Nothing is wrong with the request: send it again.`,
  };
}

interface Sentence {
  readonly matches: (name: string, message: string) => boolean;
  readonly code: PatchBatchFailure['code'];
  readonly sentence: (message: string) => string;
}

/** In order: a memory or time limit reaches Step Functions under several names. */
const SENTENCES: readonly Sentence[] = [
  {
    matches: (name) => name === 'CovariateUnavailable',
    code: 'covariate_unavailable',
    sentence: (message) => `Input data of the model could not be read: ${brief(message)}.`,
  },
  {
    matches: (name) =>
      /^(ModelInvalid|GraphNotSupported|PackInvalid|PackFileUnavailable|ValueNotStorable)$/.test(
        name,
      ),
    code: 'model_invalid',
    sentence: (message) =>
      `The deployed model cannot be used: ${brief(message)}. Its operator must mend and redeploy it; sending the job again will not help.`,
  },
  {
    matches: (name, message) =>
      /OutOfMemory/i.test(name) || /signal: killed|out of memory|heap limit/i.test(message),
    code: 'internal',
    sentence: () => 'The step ran out of memory, also when it was repeated.',
  },
  {
    matches: (name, message) =>
      /^(States\.Timeout|Sandbox\.Timedout)$/.test(name) || /timed out/i.test(message),
    code: 'internal',
    sentence: () => 'The step took longer than its time limit, also when it was repeated.',
  },
  {
    matches: (name) =>
      /^TransientFailure$|^Lambda\.(TooManyRequests|Service|AWSLambda|SdkClient|ClientExecutionTimeout)Exception$/.test(
        name,
      ),
    code: 'internal',
    sentence: () => 'The service was too busy for too long: every repetition was turned away.',
  },
  {
    matches: (name) => name === 'Lambda.Unknown' || name === 'Runtime.ExitError',
    code: 'internal',
    sentence: () => 'The step ended without an answer, also when it was repeated.',
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

/** One line without addresses (they may be signed) or a stack, not longer than an item can bear. */
function brief(message: string): string {
  const line = message.split('\n', 1)[0] ?? '';
  const plain = line.replace(/\b[a-z][a-z0-9+.-]*:\/\/\S+/gi, '[address]').replace(/\.$/, '');
  return plain.length > LONGEST_MESSAGE ? `${plain.slice(0, LONGEST_MESSAGE)}…` : plain;
}

function nameOf(error: string): string {
  return /^[A-Za-z][A-Za-z0-9.]{0,80}$/.test(error) ? error : 'unnamed';
}
