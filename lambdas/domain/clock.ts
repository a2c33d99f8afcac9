export type Clock = () => Date;

/** Port to the milliseconds of CPU time that the process has used since it started. */
export type CpuClock = () => number;

/** A UTC time as `YYYY-MM-DDTHH:MM:SS.sssZ`, so that the order of two texts is the order of their times. */
export type Timestamp = string;

export const SECONDS_PER_DAY = 24 * 60 * 60;

export function timestamp(date: Date): Timestamp {
  return date.toISOString();
}

/** Returns at least 0: a clock may be set back, and two functions have different clocks. */
export function millisecondsBetween(from: Date | Timestamp, to: Date | Timestamp): number {
  return Math.max(0, new Date(to).getTime() - new Date(from).getTime());
}

export function addSeconds(time: Timestamp, seconds: number): Timestamp {
  return timestamp(new Date(Date.parse(time) + seconds * 1000));
}
