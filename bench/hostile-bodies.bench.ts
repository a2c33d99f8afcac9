import { LIMITS } from '../lambdas/domain/limits.ts';
import { type Bench, type BenchReport, formatAgainstGoal } from './bench.ts';
import { listHostileBodies } from './hostile/bodies.ts';
import { type Measured, measureOperations } from './hostile/operations.ts';
import { createRandomBody } from './hostile/random-bodies.ts';
import { listReadBodies } from './hostile/read-bodies.ts';

const SEEDS = 12;
/** The number of bodies that are listed for each operation, the worst first. */
const LISTED = 3;

const formatMegabytes = (bytes: number): string => (bytes / 1e6).toFixed(2);

function formatMeasuredRow({ operation, body, status, responseBytes, cpuMs, goalMs }: Measured) {
  return [
    operation,
    body.name,
    formatMegabytes(body.text.length),
    String(status),
    formatMegabytes(responseBytes),
    formatAgainstGoal(cpuMs, { most: Math.round(goalMs) }, 0),
  ];
}

function listWorst(measured: readonly Measured[]): readonly Measured[] {
  const share = ({ cpuMs, goalMs }: Measured): number => cpuMs / goalMs;
  const worstFirst = measured.toSorted((a, b) => share(b) - share(a));
  const operations = new Set(measured.map(({ operation }) => operation));
  return [...operations].flatMap((one) =>
    worstFirst.filter(({ operation }) => operation === one).slice(0, LISTED),
  );
}

export const bench: Bench = {
  title: 'CPU time of creations, estimates and reads with the most expensive bodies',
  async run(): Promise<BenchReport> {
    const seeds = Array.from({ length: SEEDS }, (_, seed) => seed);
    const bodies = [...listHostileBodies(), ...listReadBodies(), ...seeds.map(createRandomBody)];
    const [first] = bodies;
    // This run only compiles the code.
    if (first !== undefined) await measureOperations(first);
    const measured: Measured[] = [];
    for (const body of bodies) measured.push(...(await measureOperations(body)));
    return {
      columns: ['operation', 'body', 'body MB', 'status', 'response MB', 'CPU ms'],
      rows: listWorst(measured).map(formatMeasuredRow),
      notes: [
        `CPU time of a warm function from the gateway’s event to the response, with in-memory storage, as the median of three requests. The rows of an operation are those ${LISTED} of ${bodies.length} bodies whose CPU time is the largest part of the goal. Of all bodies, ${SEEDS} are random. A body may have at most ${LIMITS.bodyBytes / 1e6} MB, and a batch at most ${LIMITS.verticesPerBatch.toLocaleString('en')} vertices. Each accepted body makes a batch, which is then read: its jobs without a valid polygon have failed, and its other jobs are completed. The job that is read is the last of the batch; its raster has as many cells as the largest preview has pixels, 1,024². Goals: 1.2 s for a creation, 2.5 s for an estimate, 2 s for a total, 0.3 s for a STAC Item, 0.2 s plus 3 ms per Item for a page of Items, 0.2 s plus 0.6 s per million pixels for a preview, and 0.2 s plus 0.1 s per MB of the full response for any other read. A response with 304 has the same goal as the full response.`,
      ],
      versions: {},
    };
  },
};
