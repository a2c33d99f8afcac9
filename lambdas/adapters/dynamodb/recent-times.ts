import * as z from 'zod/mini';
import type { RecentTimes } from '../../domain/admission/batch-times.ts';
import { withNewest } from '../../domain/admission/batch-times.ts';
import { recentTimesKey } from './item-keys.ts';
import { readItem, type Table } from './table.ts';
import { putOnCondition } from './transition.ts';

export function dynamoRecentTimes(table: Table): RecentTimes {
  const readAll = async () => {
    const item = await readItem(table, recentTimesKey);
    return item === null ? NONE : recentTimes.parse(item);
  };
  return {
    read: async () => (await readAll()).times.map(fromItem),

    async add(added) {
      const { version, times } = await readAll();
      await putOnCondition(table, {
        Item: {
          ...recentTimesKey,
          version: version + 1,
          times: withNewest(times.map(fromItem), added).map(toItem),
        },
        ConditionExpression: 'attribute_not_exists(pk) OR version = :version',
        ExpressionAttributeValues: { ':version': version },
      });
    },
  };
}

const seconds = z.number().check(z.nonnegative());

const timesItem = z.object({
  finished_at: z.string(),
  wait_seconds: seconds,
  run_seconds: seconds,
  jobs: z.int().check(z.positive()),
  shares: z.int().check(z.positive()),
  prediction_seconds: seconds,
});

const recentTimes = z.object({ version: z.int(), times: z.array(timesItem) });

const NONE: z.infer<typeof recentTimes> = { version: 0, times: [] };

function toItem(times: ReturnType<typeof fromItem>): z.infer<typeof timesItem> {
  return {
    finished_at: times.finishedAt,
    wait_seconds: times.waitSeconds,
    run_seconds: times.runSeconds,
    jobs: times.jobs,
    shares: times.shares,
    prediction_seconds: times.predictionSeconds,
  };
}

function fromItem(item: z.infer<typeof timesItem>) {
  return {
    finishedAt: item.finished_at,
    waitSeconds: item.wait_seconds,
    runSeconds: item.run_seconds,
    jobs: item.jobs,
    shares: item.shares,
    predictionSeconds: item.prediction_seconds,
  };
}
