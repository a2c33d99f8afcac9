import { mkdirSync, writeFileSync } from 'node:fs';
import { PNG } from 'pngjs';
import { findRunningService } from '../../../local/service-file.ts';
import { dashboardAround, openBrowser } from '../../unit/widget/browser.ts';
import { operatorOf } from './operator.ts';

// Pictures of the live-progress widget for the docs, from batches that run on the local stage.

const FOLDER = 'docs/images';
const THEMES = ['light', 'dark'] as const;
const WIDTH = 1_120;

/** A square of so many degrees, at some place of the default model's coverage. */
function field(index: number, degrees: number) {
  const [west, south] = [5.722 + (index % 12) * 0.0012, 50.956 + (index % 9) * 0.002];
  const corners = [
    [west, south],
    [west + degrees, south],
    [west + degrees, south + degrees],
    [west, south + degrees],
    [west, south],
  ];
  const polygon = { type: 'Polygon', coordinates: [corners] };
  return { polygon, year: 2024, name: `Field ${index + 1}` };
}

const crossed = {
  polygon: {
    type: 'Polygon',
    coordinates: [
      [
        [5.73, 50.96],
        [5.74, 50.97],
        [5.74, 50.96],
        [5.73, 50.97],
        [5.73, 50.96],
      ],
    ],
  },
  year: 2024,
  name: 'Bow tie',
};

const service = await findRunningService();
if (service === undefined) throw new Error('run `npm start` first');
const operator = operatorOf(service);

async function post(jobs: readonly object[], metadata: object): Promise<string> {
  const answer = await fetch(`${service?.v2_url}/v1/batch`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${service?.api_key}`, 'Content-Type': 'application/json' },
    body: JSON.stringify({ jobs, metadata }),
  });
  const { batch_id } = (await answer.json()) as { batch_id: string };
  return batch_id;
}

const many = (count: number, degrees: number) =>
  Array.from({ length: count }, (_, index) => (index % 17 === 7 ? crossed : field(index, degrees)));

const shown = await post(many(90, 0.012), { campaign: 'spring', ordered_by: 'soil desk' });
await post(many(24, 0.008), { campaign: 'control' });
await post([field(3, 0.02)], { campaign: 'one field' });
await new Promise((resolve) => setTimeout(resolve, Number(process.argv[2] ?? 25) * 1_000));

const browser = await openBrowser();
mkdirSync(FOLDER, { recursive: true });
for (const [name, asked] of [
  ['live-progress', {}],
  ['live-progress-batch', { batch_id: shown }],
] as const) {
  for (const theme of THEMES) {
    const { answer } = await operator.invoke('LiveProgress', {
      ...asked,
      widgetContext: { theme },
    });
    const page = await browser.newPage({
      viewport: { width: WIDTH, height: 200 },
      deviceScaleFactor: 1.5,
    });
    await page.setContent(dashboardAround(JSON.parse(answer), theme));
    const picture = PNG.sync.read(await page.screenshot({ fullPage: true }));
    // Without an alpha channel, and packed as tightly as deflate can.
    const tight = { colorType: 2, deflateLevel: 9, deflateStrategy: 0, filterType: -1 } as const;
    const packed = PNG.sync.write(picture, tight);
    writeFileSync(`${FOLDER}/${name}-${theme}.png`, packed);
    await page.close();
  }
}
await browser.close();
