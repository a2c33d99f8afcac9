import { Duration } from 'aws-cdk-lib';
import { JitterType, type RetryProps } from 'aws-cdk-lib/aws-stepfunctions';

/**
 * The account's limit on concurrent functions is reached: 10 in a new account, 1,000 in most
 * (https://docs.aws.amazon.com/lambda/latest/dg/gettingstarted-limits.html).
 */
const THROTTLED = 'Lambda.TooManyRequestsException';

/** Errors that mean that the request was valid, but a service was briefly unavailable. */
const TRANSIENT_ERRORS = [
  'Lambda.ServiceException',
  'Lambda.AWSLambdaException',
  'Lambda.SdkClientException',
  'Lambda.ClientExecutionTimeoutException',
  // Steps throw this literal name, because minification changes class names.
  'TransientFailure',
];

/** Errors that mean that a worker died: it was killed, hung or crashed, perhaps because of its input. */
const WORKER_DEATHS = ['Lambda.Unknown', 'Sandbox.Timedout', 'Runtime.ExitError'];

/**
 * Other errors that may be transient or permanent: out of memory, a task that never returns, an unavailable covariate.
 */
const RETRY_ONCE_ERRORS = ['States.Timeout', 'Runtime.OutOfMemory', 'CovariateUnavailable'];

export interface Delays {
  readonly maxAttempts: number;
  readonly interval: Duration;
  readonly backoffRate: number;
  readonly maxDelay: Duration;
}

export type Retrier = RetryProps & Delays;

/** Defines exponential, capped delays with full jitter, so that throttled steps do not retry together. */
function defineRetrier(errors: readonly string[], delays: Delays): Retrier {
  return { errors: [...errors], ...delays, jitterStrategy: JitterType.FULL };
}

/**
 * Steps outside the map of shares wait for hours, like a share, but with more attempts: there are too few of them to
 * fill a history with events.
 */
export const THROTTLED_STEP = defineRetrier([THROTTLED], {
  maxAttempts: 48,
  interval: Duration.seconds(2),
  backoffRate: 2,
  maxDelay: Duration.minutes(20),
});

const TRANSIENT = defineRetrier(TRANSIENT_ERRORS, {
  maxAttempts: 6,
  interval: Duration.seconds(2),
  backoffRate: 2.5,
  maxDelay: Duration.minutes(1),
});

function retryOnce(errors: readonly string[]): RetryProps {
  return {
    errors: [...errors],
    interval: Duration.seconds(5),
    maxAttempts: 1,
    jitterStrategy: JitterType.FULL,
  };
}

/**
 * Retries after 2 and 5 seconds, so that two deaths do not fail a job. There is no jitter, which could put both retries
 * into the same bad second; a job has one such step at a time, so few steps retry together.
 */
const WORKER_DIED: RetryProps = {
  errors: WORKER_DEATHS,
  interval: Duration.seconds(2),
  backoffRate: 2.5,
  maxAttempts: 2,
  jitterStrategy: JitterType.NONE,
};

// Step Functions counts the attempts of each retrier separately, and uses the first retrier that names the error.

/**
 * The retries of a job's steps outside the map of shares, and of steps that copy results. (The function that copies
 * results retries transient errors of the client's bucket itself.)
 */
export const STEP_RETRIES: readonly RetryProps[] = [
  THROTTLED_STEP,
  TRANSIENT,
  WORKER_DIED,
  retryOnce(RETRY_ONCE_ERRORS),
];

/**
 * The retries of a share's prediction. A job has up to 400 shares, and each attempt adds three events to a history
 * limited to 25,000, so there are few attempts. The first delays are short, so that throttling for seconds costs about
 * a minute. The last delays are hours, for an account that stays at its limit
 * (docs/scale-and-cost.md#how-long-a-throttled-step-waits).
 */
export const THROTTLED_SHARE = defineRetrier([THROTTLED], {
  maxAttempts: 8,
  interval: Duration.seconds(20),
  backoffRate: 5,
  maxDelay: Duration.hours(4),
});

export const PREDICTION_RETRIES: readonly RetryProps[] = [
  THROTTLED_SHARE,
  // In total, the waits are about as long as outside the map, with half the attempts.
  defineRetrier(TRANSIENT_ERRORS, {
    maxAttempts: 3,
    interval: Duration.seconds(6),
    backoffRate: 5,
    maxDelay: Duration.minutes(3),
  }),
  // One more attempt after a death would exceed the history's limit.
  retryOnce([...WORKER_DEATHS, ...RETRY_ONCE_ERRORS]),
];

/**
 * Recording that a share failed has few retries, because the job fails without the record too, and the history's events
 * are left to predictions.
 */
export const THROTTLED_RECORD = defineRetrier([THROTTLED], {
  maxAttempts: 2,
  interval: Duration.minutes(1),
  backoffRate: 10,
  maxDelay: Duration.minutes(10),
});

export const RECORD_RETRIES: readonly RetryProps[] = [
  THROTTLED_RECORD,
  defineRetrier(TRANSIENT_ERRORS, {
    maxAttempts: 1,
    interval: Duration.seconds(20),
    backoffRate: 1,
    maxDelay: Duration.seconds(30),
  }),
];

/**
 * FinishBatch must succeed, so it retries for hours if throttled, and for about an hour, at most about two, after other
 * errors.
 */
export const FINISH_RETRIES: readonly RetryProps[] = [
  THROTTLED_STEP,
  // A rollback has removed this version of the step, so the execution fails, and the reconciler restarts the batch.
  { errors: ['Lambda.ResourceNotFoundException'], maxAttempts: 0 },
  {
    errors: ['States.ALL'],
    interval: Duration.seconds(5),
    backoffRate: 2,
    maxDelay: Duration.minutes(5),
    maxAttempts: 30,
    jitterStrategy: JitterType.FULL,
  },
];
