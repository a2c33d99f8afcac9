import { expect, inject, it } from 'vitest';
import { playAgainst } from '../contract/schemathesis.ts';

const service = inject('service');

/** `npm run test:contract` plays longer. */
it('holds to its own document in generated requests', async () => {
  const outcome = await playAgainst({
    baseUrl: service.v2_url,
    apiKey: service.contract_api_key,
    examples: 5,
    seconds: 60,
    seed: 7,
  });
  expect(outcome.failures).toBe('');
  expect(outcome.cases).toBeGreaterThan(200);
});
