import { describe, expect, it } from 'vitest';
import { COURSES } from '../chaos/courses.ts';
import type { Fault } from '../chaos/faults.ts';
import { inMemoryStorage } from '../chaos/in-memory-storage.ts';
import { live } from '../chaos/live.ts';
import { synthesisedMachine } from '../chaos/state-machine.ts';
import type { Storage } from '../chaos/storage.ts';
import { holdsItsPromises } from '../chaos/verdict.ts';
import { walkSuite } from '../chaos/walk-suite.ts';

await walkSuite('in memory', ({ clock }) => inMemoryStorage(clock));

interface Broken {
  readonly what: string;
  readonly by: (storage: Storage) => Partial<Storage>;
  readonly at: { readonly step: string; readonly call: string; readonly fault: Fault };
  readonly seen: RegExp;
}

/** Mistakes that a storage could make, each with a fault that brings it to light. */
const BROKEN: readonly Broken[] = [
  {
    what: 'finishes a batch without its event',
    by: ({ batches }) => ({
      batches: { ...batches, finish: (batchId, outcome) => batches.finish(batchId, outcome, null) },
    }),
    at: { step: 'pipeline/finish-batch', call: 'batches.finish', fault: 'throws after' },
    seen: /outbox items/,
  },
  {
    what: 'finishes a batch as often as it is asked',
    by: ({ batches }) => ({
      batches: {
        ...batches,
        finish: async (...finishing) => {
          await batches.finish(...finishing);
          return 'finished';
        },
      },
    }),
    at: { step: 'pipeline/finish-batch', call: 'batches.finish', fault: 'twice at once' },
    seen: /times the batch was finished/,
  },
  {
    what: 'claims a delivery for everybody',
    by: ({ outbox }) => ({
      outbox: { ...outbox, settle: async () => 'changed', claim: async () => 'changed' },
    }),
    at: { step: 'webhooks/deliver-webhook', call: 'outbox.settle', fault: 'throws before' },
    seen: /never came to rest/,
  },
  {
    what: 'forgets a job that was begun',
    by: ({ jobs }) => {
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
    seen: /at every moment/,
  },
];

describe('the walk itself', () => {
  const machine = synthesisedMachine();
  const [plain] = COURSES;

  it.each(BROKEN)('would notice a storage that $what', async ({ by, at, seen }) => {
    if (plain === undefined) throw new Error('there is a course without faults');
    const walking = async () => {
      const open = ({ clock }: { readonly clock: () => Date }): Storage => {
        const storage = inMemoryStorage(clock);
        return { ...storage, ...by(storage) };
      };
      await holdsItsPromises(await live(machine, open, plain, { ...at, occurrence: 0 }));
    };
    await expect(walking()).rejects.toThrow(seen);
  });
});
