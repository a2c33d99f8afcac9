import { Duration } from 'aws-cdk-lib';
import { JitterType, type RetryProps } from 'aws-cdk-lib/aws-stepfunctions';

/**
 * The account has no room for another function: 10 at once in a new account, 1,000 in most
 * (https://docs.aws.amazon.com/lambda/latest/dg/gettingstarted-limits.html). It has again when others end.
 */
const THROTTLED = 'Lambda.TooManyRequestsException';

/** Nothing was wrong with the request, and a service was briefly unavailable. */
const TRANSIENT_ERRORS = [
  'Lambda.ServiceException',
  'Lambda.AWSLambdaException',
  'Lambda.SdkClientException',
  'Lambda.ClientExecutionTimeoutException',
  // Thrown by our own steps, by this literal name: class names don't survive minification.
  'TransientFailure',
];

/** May be chance or may happen every time: out of memory, a time-out, a covariate not to be had. */
const DOUBTFUL_ERRORS = [
  'Lambda.Unknown',
  'States.Timeout',
  'Sandbox.Timedout',
  'Runtime.ExitError',
  'Runtime.OutOfMemory',
  'CovariateUnavailable',
];

/** How often and how far apart a retrier tries again. */
export interface Delays {
  readonly maxAttempts: number;
  readonly interval: Duration;
  readonly backoffRate: number;
  readonly maxDelay: Duration;
}

export type Retrier = RetryProps & Delays;

/** Exponential, capped, with full jitter, so that a throttled crowd does not come back as one. */
function retrier(errors: readonly string[], delays: Delays): Retrier {
  return { errors: [...errors], ...delays, jitterStrategy: JitterType.FULL };
}

/** Of a step outside the map of shares: hours. */
export const THROTTLED_STEP = retrier([THROTTLED], {
  maxAttempts: 48,
  interval: Duration.seconds(2),
  backoffRate: 2,
  maxDelay: Duration.minutes(10),
});

const TRANSIENT = retrier(TRANSIENT_ERRORS, {
  maxAttempts: 6,
  interval: Duration.seconds(2),
  backoffRate: 2.5,
  maxDelay: Duration.minutes(1),
});

const ONCE_MORE: RetryProps = {
  errors: DOUBTFUL_ERRORS,
  interval: Duration.seconds(5),
  maxAttempts: 1,
  jitterStrategy: JitterType.FULL,
};

// Step Functions tries each retrier of a state separately and takes the first that names the error.

/** Of a step of a job. */
export const PATIENT: readonly RetryProps[] = [THROTTLED_STEP, TRANSIENT, ONCE_MORE];

/**
 * Of a share's prediction, of which a job has up to 400. Each attempt writes three events to a history
 * that ends at 25,000, so attempts are few and their delays long: the first for a short burst, the others
 * for an account that stays full for hours (docs/scale.md#how-long-a-throttled-step-waits).
 */
export const THROTTLED_SHARE = retrier([THROTTLED], {
  maxAttempts: 8,
  interval: Duration.seconds(20),
  backoffRate: 300,
  maxDelay: Duration.hours(2),
});

export const PATIENT_IN_MAP: readonly RetryProps[] = [
  THROTTLED_SHARE,
  // As long as outside the map, in half the attempts.
  retrier(TRANSIENT_ERRORS, {
    maxAttempts: 3,
    interval: Duration.seconds(6),
    backoffRate: 5,
    maxDelay: Duration.minutes(3),
  }),
  ONCE_MORE,
];

/** Of the record that a share failed: a job without it still fails, so the history is left to predictions. */
export const THROTTLED_RECORD = retrier([THROTTLED], {
  maxAttempts: 2,
  interval: Duration.minutes(1),
  backoffRate: 10,
  maxDelay: Duration.minutes(10),
});

export const RECORD_IN_MAP: readonly RetryProps[] = [
  THROTTLED_RECORD,
  retrier(TRANSIENT_ERRORS, {
    maxAttempts: 1,
    interval: Duration.seconds(20),
    backoffRate: 1,
    maxDelay: Duration.seconds(30),
  }),
];

/** For the step that must not be given up: hours when throttled, one to two for any other error. */
export const LONG: readonly RetryProps[] = [
  THROTTLED_STEP,
  {
    errors: ['States.ALL'],
    interval: Duration.seconds(5),
    backoffRate: 2,
    maxDelay: Duration.minutes(5),
    maxAttempts: 30,
    jitterStrategy: JitterType.FULL,
  },
];
