import { setTimeout as pause } from 'node:timers/promises';

interface RetryPolicy {
  /** @default 240 */
  readonly seconds?: number;
  /** Between one look and the next. @default 200 */
  readonly everyMs?: number;
}

/**
 * The first answer that is as wanted.
 * @throws Error with the last answer when none came in time
 */
export async function eventually<Answer, Wanted extends Answer = Answer>(
  ask: () => Promise<Answer>,
  wanted: ((answer: Answer) => answer is Wanted) | ((answer: Answer) => boolean),
  { seconds = 240, everyMs = 200 }: RetryPolicy = {},
): Promise<Wanted> {
  const deadline = Date.now() + seconds * 1_000;
  for (;;) {
    const answer = await ask();
    if (wanted(answer)) return answer as Wanted;
    if (Date.now() > deadline) throw new Error(`still ${JSON.stringify(answer)?.slice(0, 500)}`);
    await pause(everyMs);
  }
}
