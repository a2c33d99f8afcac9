import { LIMITS } from '../lambdas/domain/limits.ts';
import type { Bench, BenchReport } from './bench.ts';
import { bundled, node } from './measured-process.ts';

const ROUNDS = 9;

export const bench: Bench = {
  title: 'creation and status of batches of 1, 100 and 1,000 jobs',
  async run(): Promise<BenchReport> {
    const rows = node<BenchReport['rows']>(bundled('create/requests.ts'), ROUNDS);
    return {
      columns: ['request', 'jobs', 'vertices per job', 'CPU ms', 'kB', 'kB in gzip', 'services'],
      rows,
      notes: [
        `CPU time of the functions, bundled as deployed, with in-memory stores, median of ${ROUNDS}. A creation parses, validates and measures each polygon; a status builds each job (without signatures: see sign-urls). Sizes are those of the request and of the response. The last creation fills ${LIMITS.bodyBytes / 1e6} MB with polygons of the maximum number of vertices. Reads are the batch, its metadata and its jobs; the last takes one or two queries (\`test/e2e/full-batch.test.ts\`). Goals: status of 1,000 jobs under 1 MB compressed, and no more writes for 1,000 jobs than for one.`,
      ],
      versions: {},
    };
  },
};
