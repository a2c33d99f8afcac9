import type { Clock } from '../../lambdas/domain/clock.ts';

/** The time of one world: it goes on only when something in that world takes time. */
export class VirtualTime {
  /** Early today: a world lasts hours, and a day's quota ends with the day. */
  private ms = new Date().setUTCHours(3, 0, 0, 0);

  readonly clock: Clock = () => new Date(this.ms);

  now(): number {
    return this.ms;
  }

  passes(ms: number): void {
    this.ms += ms;
  }

  reaches(ms: number): void {
    this.ms = Math.max(this.ms, ms);
  }
}
