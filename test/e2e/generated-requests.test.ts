import { expect, inject, it } from 'vitest';
import { runSchemathesis } from '../contract/schemathesis.ts';

const service = inject('service');

/** `npm run test:contract` sends more. */
it('conforms to its OpenAPI document for generated requests', async () => {
  const outcome = await runSchemathesis({
    baseUrl: service.v2_url,
    apiKey: service.contract_api_key,
    examples: 5,
    // Other tests run meanwhile.
    seconds: 90,
    seed: 7,
  });
  expect(outcome.failures).toBe('');
  expect(outcome.cases).toBeGreaterThan(200);
});
