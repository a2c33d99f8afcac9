import { loadavg } from 'node:os';
import { clientOf } from '../test/support/console/batches.ts';
import { devConsole } from '../test/support/console/dev-console.ts';
import type { Bench, BenchReport } from './bench.ts';
import { measureBatchPages } from './console/batch-pages.ts';
import { largeField, manyFields } from './console/fields.ts';
import { measureFieldsPage } from './console/fields-page.ts';
import { type Measured, ROUNDS } from './console/inputs.ts';
import { median } from './own-use.ts';

const FIELDS = 300;
const VERTICES_OF_EACH = 30;
const VERTICES = 10_000;
const TEN_THOUSAND = VERTICES.toLocaleString('en');

export const bench: Bench = {
  title: `response of the console to each input, with ${FIELDS} fields and with ${TEN_THOUSAND} vertices`,
  async run(): Promise<BenchReport> {
    const served = await devConsole();
    try {
      const [model] = (await clientOf(served).models()).models;
      if (model === undefined) throw new Error('no model');
      const many = manyFields(FIELDS, VERTICES_OF_EACH);
      const large = largeField(VERTICES);
      const both = [large, ...many];
      const { jobs, result } = await measureBatchPages(served, model, both);
      const rows = [
        ...rowsOf(`${FIELDS} fields`, await measureFieldsPage(served, model, many)),
        ...rowsOf(`${TEN_THOUSAND} vertices`, await measureFieldsPage(served, model, [large])),
        ...rowsOf('both', await measureFieldsPage(served, model, both)),
        ...rowsOf('batch of both', jobs),
        ...rowsOf(`result of ${TEN_THOUSAND} vertices`, result),
      ];
      const [, fiveMinutes = Number.NaN] = loadavg();
      return {
        columns: [
          'page',
          'interaction',
          'minimum ms',
          'median ms',
          'p95 ms',
          'CPU ms',
          'longest frame ms',
        ],
        rows,
        notes: [
          `From the time of the event to the start of the frame after the one that shows its effect, ${ROUNDS} times each. This is INP (https://web.dev/articles/inp) with three differences: it includes moves and the wheel; it waits for the effect, also if a timer shows it; and it includes the following frame, up to 17 ms. CPU: median of the main thread in this time. Longest frame: until nothing is drawn any more, from the Long Animation Frames API. Of the drags, the request that follows proves that each has moved a vertex. Opening a file is not an interaction with a limit. Goal: < 100 ms, of which the map waits 30 ms for further turns of the wheel.`,
          `Chromium draws by the CPU here, WebGL as well, and shares the cores with the service and other work: the load average was ${fiveMinutes.toFixed(1)}, so the minimum and the CPU time tell more than p95, which is the slowest of ten.`,
        ],
        versions: { Chromium: served.browser.version() },
      };
    } finally {
      await served.close();
    }
  },
};

function rowsOf(page: string, measured: readonly Measured[]): readonly (readonly string[])[] {
  return measured.map(({ interaction, responses }) => {
    const sorted = responses.map(({ ms }) => ms).sort((a, b) => a - b);
    const p95 = sorted[Math.ceil(0.95 * sorted.length) - 1] ?? Number.NaN;
    const longest = Math.max(...responses.map(({ longestFrameMs }) => longestFrameMs));
    const cpu = median(responses.map(({ cpuMs }) => cpuMs));
    const numbers = [Math.min(...sorted), median(sorted), p95, cpu].map((ms) => ms.toFixed(0));
    return [page, interaction, ...numbers, longest === 0 ? '< 50' : longest.toFixed(0)];
  });
}
