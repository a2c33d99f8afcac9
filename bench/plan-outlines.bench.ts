import { LIMITS } from '../lambdas/domain/limits.ts';
import type { Bench, BenchReport } from './bench.ts';
import { bundled, node } from './measured-process.ts';

interface Planned {
  readonly shape: string;
  readonly crossings: number;
  readonly cells: number;
  readonly seconds: number;
}

export const bench: Bench = {
  title: 'planning of outlines with the maximum number of grid crossings',
  async run(): Promise<BenchReport> {
    const planned = node<readonly Planned[]>(bundled('plan/outlines.ts'));
    return {
      columns: ['polygon', 'crossings', 'cells', 'CPU s'],
      rows: planned.map(({ shape, crossings, cells, seconds }) => [
        shape,
        crossings.toLocaleString('en'),
        cells.toLocaleString('en'),
        seconds.toFixed(2),
      ]),
      notes: [
        `CPU time to parse and plan one job, in one process; ${LIMITS.gridCrossingsPerJob.toLocaleString('en')} crossings are allowed. Goal: ≤ 5 s, of the 120 s that \`PlanJob\` has.`,
      ],
      versions: {},
    };
  },
};
