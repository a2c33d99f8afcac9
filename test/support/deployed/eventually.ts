import { setTimeout as pause } from 'node:timers/promises';

interface RetryPolicy {
  /** @default 240 */
  readonly seconds?: number;
  /** The pause in milliseconds between two reads. @default 200 */
  readonly everyMs?: number;
}

/** Reads until the value meets the condition. @throws Error with the last value if the time runs out */
export async function eventually<Value, Wanted extends Value = Value>(
  read: () => Promise<Value>,
  wanted: ((value: Value) => value is Wanted) | ((value: Value) => boolean),
  { seconds = 240, everyMs = 200 }: RetryPolicy = {},
): Promise<Wanted> {
  const deadline = Date.now() + seconds * 1_000;
  for (;;) {
    const value = await read();
    if (wanted(value)) return value as Wanted;
    if (Date.now() > deadline) throw new Error(`still ${JSON.stringify(value)?.slice(0, 500)}`);
    await pause(everyMs);
  }
}
