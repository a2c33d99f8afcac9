import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { CHANGE_NO_BATCH, findHandler, STEPS } from '../support/simulation/steps.ts';

/** The files of deployed functions: those that export `handler`. */
const HANDLERS = ['api/functions', 'pipeline', 'webhooks', 'reconcile'].flatMap((folder) =>
  readdirSync(`lambdas/${folder}`)
    .filter((name) => name.endsWith('.ts'))
    .map((name) => `${folder}/${name.slice(0, -'.ts'.length)}`)
    .filter((handler) => /^export (const|async function) handler\b/m.test(textOf(handler))),
);

const steps = [...new Set(Object.keys(STEPS).map(findHandler))];

describe('the steps with injected faults', () => {
  it('are all handlers that change a batch', () => {
    expect(HANDLERS.length).toBeGreaterThan(steps.length);
    expect([...steps, ...CHANGE_NO_BATCH].sort()).toEqual([...HANDLERS].sort());
  });

  it.each(CHANGE_NO_BATCH)(
    'exclude %s, which does not start or finish batches or queue deliveries',
    (handler) => {
      expect(textOf(handler)).not.toMatch(
        /\b(finishBatch|stepFunctions(BatchRunner|Starter)|sqsDeliveryQueue)\b/,
      );
    },
  );
});

function textOf(handler: string): string {
  return readFileSync(`lambdas/${handler}.ts`, 'utf8');
}
