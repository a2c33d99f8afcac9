import { devConsole } from '../test/support/console/dev-console.ts';
import { type Bench, type BenchReport, formatAgainstGoal } from './bench.ts';
import { followBatch, openFields } from './growth/console.ts';
import { computeExponent } from './own-use.ts';

const FIELDS = [50, 500, 5_000];
/** A batch has at most 1,000 jobs. */
const JOBS = [50, 500, 1_000];

const MOST = {
  cpuSeconds: 1.5,
  taskSeconds: 0.5,
  nodes: 2_000,
  /** Requests other than polls of the status, however many jobs the batch has. */
  otherRequests: 3,
  /** The map shows at most 20 rasters, each by its header and the tiles of one level. */
  rasterRequests: 120,
  megabytes: 1,
  exponent: 1.1,
};

export const bench: Bench = {
  title: 'work of the console by the number of fields, and of jobs in a running batch',
  async run(): Promise<BenchReport> {
    const served = await devConsole();
    try {
      const rows: string[][] = [];
      const opening: (readonly [fields: number, seconds: number])[] = [];
      for (const fields of FIELDS) {
        const { opened, zoomed } = await openFields(served, fields);
        opening.push([fields, opened.cpu]);
        rows.push([
          `open ${fields.toLocaleString('en')} fields`,
          formatAgainstGoal(opened.cpu, { most: MOST.cpuSeconds }, 2),
          formatAgainstGoal(
            Math.max(opened.longestTask, zoomed.longestTask),
            { most: MOST.taskSeconds },
            2,
          ),
          formatAgainstGoal(opened.nodes, { most: MOST.nodes }, 0),
          formatAgainstGoal(computeExponent(opening), { most: MOST.exponent }, 1),
          '',
          '',
          '',
        ]);
      }
      const followed: (readonly [jobs: number, megabytes: number])[] = [];
      for (const jobs of JOBS) {
        const { otherRequests, rasterRequests, megabytes } = await followBatch(served, jobs);
        followed.push([jobs, megabytes]);
        rows.push([
          `follow ${jobs.toLocaleString('en')} jobs`,
          '',
          '',
          '',
          formatAgainstGoal(computeExponent(followed), { most: MOST.exponent }, 1),
          formatAgainstGoal(otherRequests, { most: MOST.otherRequests }, 0),
          formatAgainstGoal(rasterRequests, { most: MOST.rasterRequests }, 0),
          formatAgainstGoal(megabytes, { most: MOST.megabytes }, 2),
        ]);
      }
      return {
        columns: [
          'action',
          'CPU s',
          'longest task s',
          'DOM nodes',
          'exponent',
          'API requests besides polls',
          'raster requests',
          'MB received',
        ],
        rows,
        notes: [
          'CPU seconds of Chromium’s main thread, which draws without a GPU here. The longest task is the longer of two: the longest while the file is opened, and the longest while the map is zoomed out. A batch is followed from its submission to its end. The MB are the compressed size of the responses about this batch. The exponent describes the growth of the CPU seconds or of the MB since the first row of the action; 1 means linear growth.',
        ],
        versions: { Chromium: served.browser.version() },
      };
    } finally {
      await served.close();
    }
  },
};
