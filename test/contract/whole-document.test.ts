import { describe, expect, inject, it } from 'vitest';
import { playAgainst } from './schemathesis.ts';

const service = inject('service');

describe('the API against its own document', () => {
  const games = [
    ['V1', { baseUrl: service.v1_url, examples: 100 }],
    ['V2', { baseUrl: service.v2_url, examples: 300 }],
  ] as const;

  it('holds in thousands of generated requests, alone and chained by links', async () => {
    let cases = 0;
    for (const [name, { baseUrl, examples }] of games) {
      const outcome = await playAgainst({
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
