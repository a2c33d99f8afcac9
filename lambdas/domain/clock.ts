/** Port to the current time, so that tests and repeated steps can set it. */
export type Clock = () => Date;

/** Port to the milliseconds of CPU time that the process has used since it started. */
export type CpuClock = () => number;

/** `YYYY-MM-DDTHH:MM:SS.sssZ`, the only time format on the wire and in stored items. */
export type Timestamp = string;

export const SECONDS_PER_DAY = 24 * 60 * 60;

export function timestamp(date: Date): Timestamp {
  return date.toISOString();
}

/** Returns how long something took, but at least 0, because a clock may be set back or belong to another function. */
export function millisecondsBetween(from: Date | Timestamp, to: Date | Timestamp): number {
  return Math.max(0, new Date(to).getTime() - new Date(from).getTime());
}

export function addSeconds(time: Timestamp, seconds: number): Timestamp {
  return timestamp(new Date(Date.parse(time) + seconds * 1000));
}
