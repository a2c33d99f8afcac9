import { RETRY_DELAYS_SECONDS } from '../../lambdas/domain/delivery/schedule.ts';
import type { Timeline } from './timeline.ts';

/** Webhooks: the queue hands out so many at a time, each attempt by its schedule. */
export interface Deliveries {
  send(): void;
  readonly count: { acknowledged: number; exhausted: number };
  /** The longest that a due attempt waited for its turn, in seconds. */
  latest(): number;
}

/** A receiver responds within half a second, as in the cost model, or not within its 10 s. */
const ANSWER_SECONDS = 0.5;
const TIMEOUT_SECONDS = 10;

export function deliveriesOf(
  { atOnce, failing }: { readonly atOnce: number; readonly failing: number },
  time: Timeline,
  random: () => number,
): Deliveries {
  const count = { acknowledged: 0, exhausted: 0 };
  const due: { readonly since: number; readonly attempt: number; readonly fails: boolean }[] = [];
  let [running, first, latest] = [0, 0, 0];

  function ask(attempt: number, fails: boolean): void {
    due.push({ since: time.now(), attempt, fails });
    next();
  }

  function next(): void {
    const message = due[first];
    if (message === undefined || running === atOnce) return;
    first += 1;
    running += 1;
    latest = Math.max(latest, time.now() - message.since);
    time.after(message.fails ? TIMEOUT_SECONDS : ANSWER_SECONDS, () => {
      running -= 1;
      const delay = RETRY_DELAYS_SECONDS[message.attempt];
      if (!message.fails) count.acknowledged += 1;
      else if (delay === undefined) count.exhausted += 1;
      else time.after(delay, () => ask(message.attempt + 1, true));
      next();
    });
  }

  return { send: () => ask(0, random() < failing), count, latest: () => latest };
}
