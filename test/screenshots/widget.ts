import { mkdirSync, writeFileSync } from 'node:fs';
import { openStageTable } from '../../bin/operator/stage-table.ts';
import { dynamoTenantRecords } from '../../lambdas/adapters/dynamodb/tenants.ts';
import { timestamp } from '../../lambdas/domain/clock.ts';
import { findRunningService } from '../../local/service-file.ts';
import { aSquare } from '../support/box.ts';
import { openBrowser } from '../support/browser.ts';
import { operatorOf } from '../support/deployed/operator.ts';
import { dashboardAround } from '../support/widget/dashboard.ts';
import { compressPng } from './compress-png.ts';

// Screenshots of the live-progress widget for the docs, from batches that run on the local stage: `npm start`,
// then `npm run screenshots:widget`.

const FOLDER = 'docs/images';
const WIDTH = 1_120;

/** The screenshots need more in some minutes than a tenant's daily quota. */
async function raiseLimits(tenant: string): Promise<void> {
  const table = await openStageTable('local');
  const records = dynamoTenantRecords(table);
  const limits = { jobsPerDay: 100_000, hectaresPerDay: 1_000_000 };
  const createdAt = timestamp(table.clock());
  await records.create({ tenant, createdAt, disabledAt: null, limits });
  await records.setLimits(tenant, limits);
}

/** A square within the default model's coverage. */
function field(index: number, degrees: number) {
  const [west, south] = [5.722 + (index % 12) * 0.0012, 50.956 + (index % 9) * 0.002];
  return { polygon: aSquare(west, south, degrees), year: 2024, name: `Field ${index + 1}` };
}

const bowTie = {
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

/** Jobs of fields, with an occasional bow tie. */
const someFields = (count: number, degrees: number) =>
  Array.from({ length: count }, (_, index) => (index % 17 === 7 ? bowTie : field(index, degrees)));

const service = await findRunningService();
if (service === undefined) throw new Error('run `npm start` first');
const operator = operatorOf(service);
await raiseLimits('demo');

async function post(jobs: readonly object[], metadata: object): Promise<string> {
  const response = await fetch(`${service?.v2_url}/v1/batch`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${service?.api_key}`, 'Content-Type': 'application/json' },
    body: JSON.stringify({ jobs, metadata }),
  });
  if (response.status !== 202) throw new Error(`a batch got ${response.status}`);
  const { batch_id } = (await response.json()) as { batch_id: string };
  return batch_id;
}

const shown = await post(someFields(90, 0.012), { campaign: 'spring', ordered_by: 'soil desk' });
await post(someFields(24, 0.008), { campaign: 'control' });
await post(someFields(1, 0.02), { campaign: 'one field' });
await new Promise((resolve) => setTimeout(resolve, Number(process.argv[2] ?? 25) * 1_000));

const browser = await openBrowser();
mkdirSync(FOLDER, { recursive: true });
for (const [name, theme, event] of [
  ['live-progress', 'light', {}],
  ['live-progress-batch', 'dark', { batch_id: shown }],
] as const) {
  const { payload } = await operator.invoke('LiveProgress', { ...event, widgetContext: { theme } });
  const page = await browser.newPage({
    viewport: { width: WIDTH, height: 200 },
    deviceScaleFactor: 1.5,
  });
  await page.setContent(dashboardAround(JSON.parse(payload), theme));
  const file = `${FOLDER}/${name}-${theme}.png`;
  writeFileSync(file, compressPng(await page.screenshot({ fullPage: true })));
  await page.close();
}
await browser.close();
