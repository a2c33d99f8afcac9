import { QUOTAS } from './quotas.ts';
import { tokenBucket } from './token-bucket.ts';

/** Writes of an on-demand table: twice what it took in the half hours before, and 4,000 at least. */
export interface Table {
  /** @returns the seconds that these units must wait */
  write(now: number, units: number): number;
  /** The most units of one second. */
  readonly peak: () => number;
}

const HALF_HOUR = 1_800;

export function onDemandTable(): Table {
  let rate: number = QUOTAS.newTableWrites.value;
  let bucket = tokenBucket(rate, rate);
  let [second, inSecond, peak, halfHour] = [0, 0, 0, 0];
  return {
    write(now, units) {
      if (Math.floor(now / HALF_HOUR) > halfHour) {
        halfHour = Math.floor(now / HALF_HOUR);
        const grown = Math.min(QUOTAS.tableWrites.value, Math.max(rate, 2 * peak));
        if (grown > rate) bucket = tokenBucket(grown, grown);
        rate = grown;
      }
      const wait = bucket.take(now, units);
      const written = Math.floor(now + wait);
      inSecond = written === second ? inSecond + units : units;
      second = written;
      peak = Math.max(peak, inSecond);
      return wait;
    },
    peak: () => peak,
  };
}
