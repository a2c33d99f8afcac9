import { describe, expect, it } from 'vitest';
import { mayReserve } from '../../bin/preflight/quotas/functions.ts';
import { LIMITED } from '../../bin/preflight/quotas/resource-quotas.ts';
import { stageConfig } from '../../lib/config/each-stage.ts';
import { EVERYTHING, synthesiseEverything } from '../support/infra/everything.ts';
import { PROD } from '../support/infra/prod.ts';
import { synthesise } from '../support/infra/synthesised.ts';

const stages = [
  { config: stageConfig('dev'), synthesised: synthesise('dev') },
  { config: PROD, synthesised: synthesise('prod') },
  { config: EVERYTHING, synthesised: synthesiseEverything() },
];

describe('the preflight', () => {
  it.each(LIMITED)('counts as many $about as the templates have', ({ type, made, ...limited }) => {
    const counts = stages.map(({ config, synthesised: { ofType } }) => {
      const count = ofType(type).length;
      expect(count > 0, config.stage).toBe(limited.in(config));
      return count;
    });
    expect(Math.max(...counts)).toBe(made);
  });

  it('reads the reserved concurrency of every function that has any', () => {
    const functions = synthesise('prod').ofType('AWS::Lambda::Function');
    const reserving = functions.filter(
      ({ properties }) => 'ReservedConcurrentExecutions' in properties,
    );
    expect(reserving).toHaveLength(1);
    const found = functions.filter(({ id, type }) => mayReserve({ type, logicalId: id }));
    expect(found).toEqual(reserving);
  });
});
