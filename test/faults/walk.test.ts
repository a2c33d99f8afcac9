import { describe, expect, it } from 'vitest';
import type { FaultPlan } from '../support/simulation/faults.ts';
import { checkGuarantees } from '../support/simulation/guarantees.ts';
import { inMemoryStorage } from '../support/simulation/in-memory-storage.ts';
import { SCENARIOS } from '../support/simulation/scenarios.ts';
import { simulate } from '../support/simulation/simulate.ts';
import type { Storage } from '../support/simulation/storage.ts';
import { synthesiseMachine } from '../support/simulation/synthesised-machine.ts';

interface Broken {
  readonly what: string;
  readonly change: (storage: Storage) => Partial<Storage>;
  readonly at: Omit<FaultPlan, 'occurrence'>;
  readonly error: RegExp;
}

/** Defects of a storage, each with a fault that reveals the defect. */
const BROKEN: readonly Broken[] = [
  {
    what: 'finishes a batch without its event',
    change: ({ batches }) => ({
      batches: { ...batches, finish: (batchId, outcome) => batches.finish(batchId, outcome, null) },
    }),
    at: { step: 'pipeline/finish-batch', call: 'batches.finish', fault: 'throws after' },
    error: /the outbox has no event/,
  },
  {
    what: 'finishes a batch more than once',
    change: ({ batches }) => ({
      batches: {
        ...batches,
        finish: async (...finishing) => {
          await batches.finish(...finishing);
          return 'finished';
        },
      },
    }),
    at: { step: 'pipeline/finish-batch', call: 'batches.finish', fault: 'run twice' },
    error: /times the batch was finished/,
  },
  {
    what: 'lets every caller claim a delivery',
    change: ({ outbox }) => ({
      outbox: { ...outbox, recordAttempt: async () => 'changed', claim: async () => 'changed' },
    }),
    at: { step: 'webhooks/deliver-webhook', call: 'outbox.recordAttempt', fault: 'throws before' },
    error: /never became idle/,
  },
  {
    what: 'loses a started job',
    change: ({ jobs }) => {
      let lists = 0;
      return {
        jobs: {
          ...jobs,
          list: async (batchId) => {
            lists += 1;
            return lists === 12 ? [] : jobs.list(batchId);
          },
        },
      };
    },
    at: { step: 'pipeline/plan-job', call: 'jobs.begin', fault: 'throws after' },
    error: /violations at any time/,
  },
];

describe('the walk of faults', () => {
  const machine = synthesiseMachine();
  const [plain] = SCENARIOS;

  it.each(BROKEN)('detects a storage that $what', async ({ change, at, error }) => {
    if (plain === undefined) throw new Error('no scenario without faults');
    const walking = async () => {
      const open = ({ clock }: { readonly clock: () => Date }): Storage => {
        const storage = inMemoryStorage(clock);
        return { ...storage, ...change(storage) };
      };
      await checkGuarantees(await simulate(machine, open, plain, { ...at, occurrence: 0 }));
    };
    await expect(walking()).rejects.toThrow(error);
  });
});
