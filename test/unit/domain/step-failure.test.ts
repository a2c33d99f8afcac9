import { describe, expect, it } from 'vitest';
import { describeStepFailure } from '../../../lambdas/domain/step-failure.ts';

const cause = (errorType: string, errorMessage: string) =>
  JSON.stringify({
    errorType,
    errorMessage,
    trace: [`${errorType}: ${errorMessage}`, '    at handler (file:///var/task/index.mjs:1:2)'],
  });

describe('the reason for a failed step', () => {
  it.each([
    {
      what: 'a covariate that could not be read',
      error: {
        Error: 'CovariateUnavailable',
        Cause: cause(
          'CovariateUnavailable',
          'covariate "clay" is unavailable: GET https://data.example.org/clay.tif?sig=abc answered 503',
        ),
      },
      code: 'covariate_unavailable',
      says: /"clay".*\[URL\] answered 503/,
    },
    {
      what: 'a manifest that breaks its schema',
      error: {
        Error: 'PackInvalid',
        Cause: cause('PackInvalid', 'manifest.json: bands[0].from.index: 9 is not a target'),
      },
      code: 'model_invalid',
      says: /manifest\.json: bands\[0\].* is not a target/,
    },
    {
      what: 'a graph that is broken',
      error: { Error: 'ModelInvalid', Cause: cause('ModelInvalid', 'the model file is broken') },
      code: 'model_invalid',
      says: /the model file is broken/,
    },
    {
      what: 'a process killed for lack of memory',
      error: {
        Error: 'Runtime.ExitError',
        Cause: cause(
          'Runtime.ExitError',
          'RequestId: 1 Error: Runtime exited with error: signal: killed',
        ),
      },
      code: 'internal',
      says: /out of memory/,
    },
    {
      what: 'an invocation that exceeded its time limit',
      error: {
        Error: 'Sandbox.Timedout',
        Cause: cause('Sandbox.Timedout', 'RequestId: 1 Error: Task timed out after 600.00 seconds'),
      },
      code: 'internal',
      says: /time limit/,
    },
    {
      what: "a task that exceeded the state machine's time limit",
      error: { Error: 'States.Timeout' },
      code: 'internal',
      says: /time limit/,
    },
    {
      what: 'a service that stayed too busy',
      error: { Error: 'Lambda.TooManyRequestsException', Cause: 'Rate exceeded' },
      code: 'internal',
      says: /temporary fault/,
    },
    {
      what: 'endless write conflicts',
      error: { Error: 'TransientFailure', Cause: cause('TransientFailure', 'lost 9 times') },
      code: 'internal',
      says: /temporary fault/,
    },
    {
      what: 'an invocation that ended without responding',
      error: { Error: 'Lambda.Unknown', Cause: 'The cause could not be determined' },
      code: 'internal',
      says: /without a response/,
    },
    {
      what: 'an unexpected error',
      error: { Error: 'TypeError', Cause: cause('TypeError', 'x.y is not a function') },
      code: 'internal',
      says: /\(TypeError\)/,
    },
  ])('is reported for $what, without a stack or URL', ({ error, code, says }) => {
    const failure = describeStepFailure(error);
    expect(failure.code).toBe(code);
    expect(failure.reason).toMatch(says);
    expect(failure.reason).not.toMatch(/\bat handler|file:|https?:|RequestId/);
  });

  it('does not quote an invalid error name', () => {
    const { reason } = describeStepFailure({ Error: '<script>alert(1)</script>' });
    expect(reason).toContain('(unnamed)');
  });
});
