import type { Clock } from '../../../lambdas/domain/clock.ts';

/** The clock of one world: it advances only when something in that world takes time. */
export class VirtualTime {
  /** Early today: a world lasts hours, and its quota must be that of one day. */
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
