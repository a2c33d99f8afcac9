import { describe, expect, inject, it } from 'vitest';
import { runSchemathesis } from '../support/schemathesis/schemathesis.ts';

const service = inject('service');

describe('the API and its OpenAPI document', () => {
  const runs = [
    ['V1', { baseUrl: service.v1_url, examples: 100 }],
    ['V2', { baseUrl: service.v2_url, examples: 200 }],
  ] as const;

  it('agree for thousands of generated requests, both single and chained by links', async () => {
    let cases = 0;
    for (const [name, { baseUrl, examples }] of runs) {
      const outcome = await runSchemathesis({
        baseUrl,
        apiKey: service.contract_api_key,
        examples,
        seed: 7,
      });
      expect(outcome.failures, name).toBe('');
      cases += outcome.cases;
      console.log(`${name}: ${outcome.cases} cases`);
    }
    expect(cases).toBeGreaterThanOrEqual(5_000);
  });
});
