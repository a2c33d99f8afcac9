import type { Clock } from '../../../lambdas/domain/clock.ts';

/** The clock of one world, which advances only when something in that world takes time. */
export class VirtualTime {
  /** A time early today, because a world lasts for hours and its quota must be that of a single day. */
  private ms = new Date().setUTCHours(3, 0, 0, 0);

  readonly clock: Clock = () => new Date(this.ms);

  now(): number {
    return this.ms;
  }

  advance(ms: number): void {
    this.ms += ms;
  }

  advanceTo(ms: number): void {
    this.ms = Math.max(this.ms, ms);
  }
}
