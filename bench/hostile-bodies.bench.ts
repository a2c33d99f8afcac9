import { LIMITS } from '../lambdas/domain/limits.ts';
import { type Bench, type BenchReport, judged } from './bench.ts';
import { hostileBodies } from './hostile/bodies.ts';
import { type Measured, measuredOperations } from './hostile/operations.ts';
import { randomBody } from './hostile/random-bodies.ts';
import { readBodies } from './hostile/read-bodies.ts';

const SEEDS = 12;
/** Rows per operation, the worst first. */
const LISTED = 3;

const megabytes = (bytes: number): string => (bytes / 1e6).toFixed(2);

function rowOf({ operation, body, status, responseBytes, cpuMs, goalMs }: Measured) {
  return [
    operation,
    body.name,
    megabytes(body.text.length),
    String(status),
    megabytes(responseBytes),
    judged(cpuMs, { most: Math.round(goalMs) }, 0),
  ];
}

/** The worst of each operation, by its share of the goal. */
function worstOf(measured: readonly Measured[]): readonly Measured[] {
  const share = ({ cpuMs, goalMs }: Measured): number => cpuMs / goalMs;
  const worstFirst = measured.toSorted((a, b) => share(b) - share(a));
  const operations = new Set(measured.map(({ operation }) => operation));
  return [...operations].flatMap((one) =>
    worstFirst.filter(({ operation }) => operation === one).slice(0, LISTED),
  );
}

export const bench: Bench = {
  title: 'CPU time of each operation with the most expensive bodies',
  async run(): Promise<BenchReport> {
    const seeds = Array.from({ length: SEEDS }, (_, seed) => seed);
    const bodies = [...hostileBodies(), ...readBodies(), ...seeds.map(randomBody)];
    const [first] = bodies;
    // Compiles the code.
    if (first !== undefined) await measuredOperations(first);
    const measured: Measured[] = [];
    for (const body of bodies) measured.push(...(await measuredOperations(body)));
    return {
      columns: ['operation', 'body', 'MB', 'status', 'MB of response', 'CPU ms'],
      rows: worstOf(measured).map(rowOf),
      notes: [
        `CPU time of the function from the gateway’s event to the response, warm, with a table in memory, median of three requests: the ${LISTED} worst of ${bodies.length} bodies, ${SEEDS} of them random. A body may have ${LIMITS.bodyBytes / 1e6} MB, a batch ${LIMITS.verticesPerBatch} vertices (\`vertices_per_batch\`). Reads are of a batch whose jobs are completed, or failed without a polygon, and of its last job, whose raster has as many cells as a preview at most, 1,024². Goals: 1.2 s for a creation, 2.5 s for an estimate, 2 s for a total; for a STAC Item 0.3 s, for a page of Items 0.2 s and 3 ms per Item, for a preview 0.2 s and 0.6 s per million pixels; for any other read 0.2 s and 0.1 s per MB of its full response. They also apply if the response is 304.`,
      ],
      versions: {},
    };
  },
};
