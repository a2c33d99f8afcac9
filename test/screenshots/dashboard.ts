import { mkdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { DescribeAlarmsCommand } from '@aws-sdk/client-cloudwatch';
import { SoilClient } from '../../client/src/index.ts';
import { startLocalService } from '../../local/service.ts';
import { openBrowser } from '../support/browser.ts';
import {
  openCloudWatch,
  readDashboard,
  readSeries,
  type Widget,
} from '../support/dashboard/deployed-dashboard.ts';
import { makeFiveBatches } from '../support/dashboard/five-batches.ts';
import { evaluateQuery } from '../support/dashboard/insights.ts';
import { webhookReceiver } from '../support/delivery/webhook-receiver.ts';
import { eventually } from '../support/deployed/eventually.ts';
import { EXAMPLE } from '../support/deployed/example-run.ts';
import { readLogLines } from '../support/deployed/log-lines.ts';
import { compressPng } from './compress-png.ts';
import { type Drawn, drawDashboard, keepRowsWithData, PAGE_WIDTH } from './draw-dashboard.ts';

// Draws the dashboard of a deployment on the emulator as CloudWatch would, for docs/dashboard.md, after several
// runs of the example and while five batches run or have ended. The emulator itself draws nothing.

const DOCS = 'docs/images/dashboard';
const BELOW = 'Queued webhooks';
/** The number of runs of the example in each minute: the dashboard has one point per minute. */
const RUNS = [1, 3, 2, 4, 2];

// Use the fonts of the Chromium package, so that the pictures look the same on every machine.
process.env['FONTCONFIG_PATH'] = join(tmpdir(), 'fonts');
mkdirSync(DOCS, { recursive: true });
const started = new Date();
const service = await startLocalService({ onStep: (step) => console.log(`${step} …`) });
try {
  await draw();
} finally {
  await service.stop();
}

async function draw(): Promise<void> {
  const { description } = service;
  const client = new SoilClient({ baseUrl: description.v2_url, apiKey: description.api_key });
  // The first attempt of each webhook is retried.
  await using receiver = await webhookReceiver((earlier) => (earlier % 2 === 0 ? 503 : 204));
  for (const [minute, runs] of RUNS.entries()) {
    console.log(`minute ${minute + 1} of ${RUNS.length} …`);
    const next = Date.now() + 60_000;
    await Promise.all(
      Array.from({ length: runs }, async () => {
        const { batch_id } = await client.createBatch(
          JSON.stringify({ ...EXAMPLE, webhook_url: receiver.url }),
        );
        await client.batch(batch_id).waitFor();
      }),
    );
    await setTimeout(Math.max(0, next - Date.now()));
  }
  console.log('five batches …');
  await using _five = await makeFiveBatches(description, (tenant) => service.issueApiKey(tenant));
  const cloudWatch = openCloudWatch(description);
  const widgets = await readDashboard(cloudWatch);
  const query = widgets.find(({ type }) => type === 'log')?.properties.query ?? '';
  const lines = await eventually(
    () => readLogLines(description, started),
    (read) => evaluateQuery(query, read, new Date()).length === 3,
    { seconds: 600, everyMs: 1_000 },
  );
  const { MetricAlarms = [] } = await cloudWatch.send(new DescribeAlarmsCommand({}));
  const states = new Map(MetricAlarms.map((alarm) => [alarm.AlarmArn, alarm] as const));
  const show = async (widget: Widget): Promise<Drawn> => {
    if (widget.type === 'metric')
      return { widget, series: await readSeries(cloudWatch, widget, lines, started) };
    if (widget.type === 'log') return { widget, rows: evaluateQuery(query, lines, new Date()) };
    const alarms = (widget.properties.alarms ?? []).map((arn) => {
      const { AlarmName = arn, StateValue = '' } = states.get(arn) ?? {};
      // Strip the stack's name at the start and the generated characters at the end.
      return [AlarmName.replace(/^.*Alarms|[0-9A-F]{8}(-\w+)?$/g, ''), StateValue] as const;
    });
    return { widget, alarms };
  };
  const drawn = await Promise.all(widgets.map(show));
  const below = widgets.find(({ properties }) => properties.title === BELOW)?.y ?? Infinity;
  await takePicture(
    'batches',
    drawn.filter(({ widget }) => widget.y < below),
  );
  await takePicture('health', keepRowsWithData(drawn.filter(({ widget }) => widget.y >= below)));
}

async function takePicture(name: string, drawn: readonly Drawn[]): Promise<void> {
  const { html, height } = drawDashboard(drawn, { from: startOfMinute(started), to: Date.now() });
  const browser = await openBrowser();
  try {
    const page = await browser.newPage({ viewport: { width: PAGE_WIDTH, height } });
    await page.setContent(html);
    writeFileSync(join(DOCS, `${name}.png`), compressPng(await page.screenshot()));
  } finally {
    await browser.close();
  }
}

/** Metrics have one point per minute, at its start. */
function startOfMinute(time: Date): number {
  return time.getTime() - (time.getTime() % 60_000);
}
