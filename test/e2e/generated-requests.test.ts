import { expect, inject, it } from 'vitest';
import { OPERATIONS } from '../../lambdas/api/operations.ts';
import { runSchemathesis } from '../support/schemathesis/schemathesis.ts';

const service = inject('service');

/** The suite `contract` sends more requests every night. */
it('the service conforms to its OpenAPI document for generated requests', async () => {
  const outcome = await runSchemathesis({
    baseUrl: service.v2_url,
    apiKey: service.contract_api_key,
    // Set a number of requests and not a time, which a busy machine would spend on a few requests.
    examples: 3,
    phases: ['fuzzing'],
    seed: 7,
  });
  expect(outcome.failures).toBe('');
  expect(outcome.cases).toBeGreaterThan(OPERATIONS.length);
});
