/** The current time, as a port, so that tests and repeated steps can set it. */
export type Clock = () => Date;

/** Milliseconds of CPU time that the process has used since its start, as a port. */
export type CpuClock = () => number;

/** `YYYY-MM-DDTHH:MM:SS.sssZ`, the only time format on the wire and in stored items. */
export type Timestamp = string;

export const SECONDS_PER_DAY = 24 * 60 * 60;

export function timestamp(date: Date): Timestamp {
  return date.toISOString();
}

/** How long something took: not less than nothing, though a clock may step back or be another function's. */
export function millisecondsBetween(from: Date | Timestamp, to: Date | Timestamp): number {
  return Math.max(0, new Date(to).getTime() - new Date(from).getTime());
}

export function addSeconds(time: Timestamp, seconds: number): Timestamp {
  return timestamp(new Date(Date.parse(time) + seconds * 1000));
}
