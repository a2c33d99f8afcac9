import type { Clock } from '../../lambdas/domain/clock.ts';

/** The time of one world: it goes on only when something in that world takes time. */
export class VirtualTime {
  private ms: number;

  constructor(start: Date) {
    this.ms = start.getTime();
  }

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
