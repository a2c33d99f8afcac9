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
  /** Polls are 12 of the 15 requests per minute. */
  otherRequests: 3,
  megabytes: 1,
  exponent: 1.1,
};

export const bench: Bench = {
  title: 'the console, with 50, 500 and 5,000 fields and with a running batch of 1,000 jobs',
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
        ]);
      }
      const followed: (readonly [jobs: number, megabytes: number])[] = [];
      for (const jobs of JOBS) {
        const { otherRequests, megabytes } = await followBatch(served, jobs);
        followed.push([jobs, megabytes]);
        rows.push([
          `follow ${jobs.toLocaleString('en')} jobs`,
          '',
          '',
          '',
          formatAgainstGoal(computeExponent(followed), { most: MOST.exponent }, 1),
          formatAgainstGoal(otherRequests, { most: MOST.otherRequests }, 0),
          formatAgainstGoal(megabytes, { most: MOST.megabytes }, 2),
        ]);
      }
      return {
        columns: [
          'page',
          'CPU s',
          'longest task s',
          'DOM nodes',
          'exponent',
          'requests besides polls',
          'MB',
        ],
        rows,
        notes: [
          'CPU seconds of Chromium’s main thread, which draws without a GPU here. The longest task is one of opening or zooming out. A batch is followed from its submission to its end. The service recommends a poll every 5 seconds, and the MB are the compressed size of all responses. The exponent describes the growth since 50.',
        ],
        versions: { Chromium: served.browser.version() },
      };
    } finally {
      await served.close();
    }
  },
};
