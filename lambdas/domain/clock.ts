/** The current time, as a port, so that tests and repeated steps can set it. */
export type Clock = () => Date;

/** `YYYY-MM-DDTHH:MM:SS.sssZ`, the only time format on the wire and in stored items. */
export type Timestamp = string;

export const SECONDS_PER_DAY = 24 * 60 * 60;

export function timestamp(date: Date): Timestamp {
  return date.toISOString();
}

export function addSeconds(time: Timestamp, seconds: number): Timestamp {
  return timestamp(new Date(Date.parse(time) + seconds * 1000));
}
