import { describe, expect, it } from 'vitest';
import { parseConfig } from '../../lib/config/stage-config.ts';
import { synthesiseEverything } from '../support/infra/everything.ts';
import { PROD } from '../support/infra/prod.ts';
import { synthesise, synthesiseWith } from '../support/infra/synthesised.ts';
import { allowancesOf, nameOf } from './statements.ts';

const BUS = 'arn:aws:events:eu-central-1:111122223333:event-bus/soil';
const publishing = synthesiseWith(parseConfig({ ...PROD, eventBus: BUS }));

const holders = (stage: ReturnType<typeof synthesise>) =>
  allowancesOf(stage).filter(({ actions }) => actions.some((action) => /^events:/.test(action)));

describe('events on an event bus', () => {
  it('may be published only by the step that finishes a batch and by the reconciler, and have a single type', () => {
    const allowed = holders(publishing);
    expect(allowed.map(({ holder }) => nameOf(holder)).sort()).toEqual([
      'PipelineFinishBatch',
      'ReconcilerReconcile',
    ]);
    for (const { actions, resources, condition } of allowed) {
      expect([actions, resources]).toEqual([['events:PutEvents'], [BUS]]);
      expect(condition).toEqual({
        'ForAllValues:StringEquals': {
          'events:source': 'soil-batch',
          'events:detail-type': 'batch.finished',
        },
      });
    }
  });

  it('have a separate alarm for those that are unpublished, but only if a bus is configured', () => {
    const watching = (stage: ReturnType<typeof synthesise>) =>
      stage
        .ofType('AWS::CloudWatch::Alarm')
        .filter(({ properties }) => JSON.stringify(properties).includes('"unpublished"'));
    expect(watching(publishing)).toHaveLength(1);
    expect(watching(synthesise('prod'))).toEqual([]);
  });

  it('are off unless a bus is configured', () => {
    expect(holders(synthesise('prod'))).toEqual([]);
  });

  it("go to the account's default bus if it is configured", () => {
    const [allowed] = holders(synthesiseEverything());
    expect(allowed?.resources).toEqual([expect.stringMatching(/^arn:.*:event-bus\/default$/)]);
  });
});
