import { Duration } from 'aws-cdk-lib';
import { JitterType, type RetryProps } from 'aws-cdk-lib/aws-stepfunctions';

/** Nothing was wrong with the request: asking again is right, and again. */
const TRANSIENT_ERRORS = [
  'Lambda.TooManyRequestsException',
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

/** Exponential, capped, with full jitter, so that a throttled crowd does not come back as one. */
export function transient(maxAttempts: number): RetryProps {
  return {
    errors: TRANSIENT_ERRORS,
    interval: Duration.seconds(2),
    backoffRate: 2.5,
    maxDelay: Duration.seconds(60),
    maxAttempts,
    jitterStrategy: JitterType.FULL,
  };
}

export const ONCE_MORE: RetryProps = {
  errors: DOUBTFUL_ERRORS,
  interval: Duration.seconds(5),
  maxAttempts: 1,
  jitterStrategy: JitterType.FULL,
};

/** For the step that must not be given up: one to two hours, whatever the error. */
export const LONG: readonly RetryProps[] = [
  {
    errors: ['States.ALL'],
    interval: Duration.seconds(5),
    backoffRate: 2,
    maxDelay: Duration.minutes(5),
    maxAttempts: 30,
    jitterStrategy: JitterType.FULL,
  },
];
