import { expect, inject, it } from 'vitest';
import { OPERATIONS } from '../../lambdas/api/definitions/operations.ts';
import { runSchemathesis } from '../support/schemathesis/schemathesis.ts';

const service = inject('service');

/** `npm run test:contract` sends more, every night. */
it('conforms to its OpenAPI document for generated requests', async () => {
  const outcome = await runSchemathesis({
    baseUrl: service.v2_url,
    apiKey: service.contract_api_key,
    examples: 2,
    seconds: 20,
    seed: 7,
  });
  expect(outcome.failures).toBe('');
  // How many fit into the time depends on the machine.
  expect(outcome.cases).toBeGreaterThan(OPERATIONS.length / 2);
});
