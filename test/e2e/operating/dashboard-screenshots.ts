import { writeFileSync } from 'node:fs';
import {
  CloudWatchClient,
  DescribeAlarmsCommand,
  GetDashboardCommand,
} from '@aws-sdk/client-cloudwatch';
import { ListExecutionsCommand, ListStateMachinesCommand, SFNClient } from '@aws-sdk/client-sfn';
import * as z from 'zod';
import { stackNames } from '../../../lib/stages.ts';
import { clientConfiguration } from '../../../local/emulator/emulator.ts';
import { findRunningService } from '../../../local/service-file.ts';
import { openBrowser } from '../../browser.ts';
import { httpReceiving } from '../../integration/delivery/local-receiver.ts';
import { compressPng } from './compress-png.ts';
import { dashboardHtml, type Graph, graphHtml, type Placed, titled } from './draw-dashboard.ts';
import { readLogLines } from './log-lines.ts';
import { logQueryHtml } from './log-query-table.ts';
import { evaluate } from './metric-math.ts';
import { operatorOf } from './operator.ts';
import { type Datapoints, metricsOfRun, type Operations, type RunMetrics } from './run-metrics.ts';
import { raiseLimits, someFields } from './screenshot-batches.ts';

// Screenshots of the dashboards for the docs: their JSON as deployed to the local stage, drawn with the
// metrics of some minutes of batches.

const options = z.looseObject({
  id: z.string().optional(),
  visible: z.boolean().optional(),
  label: z.string().optional(),
  color: z.string().optional(),
  stat: z.string().optional(),
  expression: z.string().optional(),
});
const widget = z.object({
  type: z.string(),
  x: z.number(),
  y: z.number(),
  width: z.number(),
  height: z.number(),
  properties: z.looseObject({
    title: z.string().optional(),
    query: z.string().optional(),
    stacked: z.boolean().optional(),
    metrics: z.array(z.array(z.union([z.string(), options]))).optional(),
    alarms: z.array(z.string()).optional(),
    yAxis: z.object({ left: z.looseObject({ label: z.string().optional() }) }).optional(),
    annotations: z
      .object({
        horizontal: z.array(z.object({ value: z.number(), label: z.string(), color: z.string() })),
      })
      .optional(),
  }),
});
type Widget = z.infer<typeof widget>;
const body = z.object({ widgets: z.array(widget) });

/** CloudWatch's colours, in its order. */
const COLOURS = [
  '#1f77b4',
  '#ff7f0e',
  '#2ca02c',
  '#d62728',
  '#9467bd',
  '#8c564b',
  '#e377c2',
  '#7f7f7f',
  '#bcbd22',
  '#17becf',
];

const MINUTES = Number(process.argv[2] ?? 6);
const service = await findRunningService();
if (service === undefined) throw new Error('run `npm start` first');
const { v2_url, api_key, endpoint_url: endpointUrl, region } = service;
const metrics = new CloudWatchClient(clientConfiguration({ endpointUrl, region }));
const operator = operatorOf(service);

await raiseLimits('demo');
const { since, widgetHtml, operations } = await runBatches();
const lines = await readLogLines(service, since);
const records = {
  lines,
  executions: await executions(),
  operations,
};
const runMetrics = metricsOfRun(records, since, MINUTES);
const browser = await openBrowser();
for (const which of ['progress', 'health', 'cost']) {
  const DashboardName = `${stackNames('local').observability}-${which}`;
  const { DashboardBody } = await metrics.send(new GetDashboardCommand({ DashboardName }));
  const placed: Placed[] = [];
  for (const one of body.parse(JSON.parse(DashboardBody ?? '')).widgets) {
    placed.push({ ...one, html: await htmlOf(one, runMetrics) });
  }
  const page = await browser.newPage({ viewport: { width: 1_225, height: 400 } });
  await page.setContent(dashboardHtml(DashboardName, placed));
  writeFileSync(
    `docs/images/dashboard-${which}.png`,
    compressPng(await page.screenshot({ fullPage: true })),
  );
}
await browser.close();
metrics.destroy();

/** Some minutes of batches: good and bad polygons, one working and one failing receiver. */
async function runBatches() {
  await using good = await httpReceiving((_, response) => response.writeHead(204).end());
  await using bad = await httpReceiving((_, response) => response.writeHead(500).end());
  const since = new Date();
  const end = since.getTime() + (MINUTES - 0.5) * 60_000;
  const operations = [await readCounts()];
  await operator.invoke('SigningKeyRemoveReplaced', {});
  for (let round = 0; Date.now() < end; round++) {
    await post(someFields(4 + (round % 4) * 6, 0.004), round % 3 === 2 ? bad.url : good.url);
    for (let poll = 0; poll < 6; poll++) await pollOnce();
    await seconds(12);
    operations.push(await readCounts());
  }
  for (const fields of [120, 60, 40]) await post(someFields(fields, 0.008), good.url);
  await seconds(6);
  const { payload } = await operator.invoke('LiveProgress', { widgetContext: { theme: 'light' } });
  return { since, widgetHtml: JSON.parse(payload) as string, operations };
}

/** The emulator's counts since it started (`local/emulator/operations.py`). */
async function readCounts(): Promise<Operations> {
  const response = await fetch(new URL('/_operations', endpointUrl));
  return { at: new Date(), counts: z.record(z.string(), z.number()).parse(await response.json()) };
}

function seconds(count: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 1_000 * count));
}

async function executions() {
  const states = new SFNClient(clientConfiguration({ endpointUrl, region }));
  const { stateMachines: [machine] = [] } = await states.send(new ListStateMachinesCommand({}));
  const { executions: all = [] } = await states.send(
    new ListExecutionsCommand({ stateMachineArn: machine?.stateMachineArn, maxResults: 1_000 }),
  );
  states.destroy();
  return all.filter(({ name }) => /^[0-9a-f-]{36}$/.test(name ?? ''));
}

async function post(jobs: readonly object[], webhook_url: string): Promise<void> {
  const { status } = await fetch(`${v2_url}/v1/batch`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${api_key}`, 'Content-Type': 'application/json' },
    body: JSON.stringify({ jobs, webhook_url }),
  });
  if (status !== 202) throw new Error(`a batch got ${status}`);
}

async function pollOnce(): Promise<void> {
  await fetch(`${v2_url}/v1/batch`, { headers: { Authorization: `Bearer ${api_key}` } });
}

async function htmlOf(one: Widget, of: RunMetrics): Promise<string> {
  const { title = '', alarms = [] } = one.properties;
  if (one.type === 'custom') {
    return titled(title, `<div style="padding:0 8px">${widgetHtml}</div>`);
  }
  if (one.type === 'alarm') return titled(title, await alarmsHtml(alarms));
  if (one.type === 'log') return titled(title, logQueryHtml(one.properties.query ?? '', lines));
  return graphHtml(graphOf(one, of), one.width, one.height);
}

async function alarmsHtml(arns: readonly string[]): Promise<string> {
  const names = arns.map((arn) => arn.split(':alarm:').at(-1) ?? arn);
  const { MetricAlarms = [] } = await metrics.send(
    new DescribeAlarmsCommand({ AlarmNames: names }),
  );
  const colour = { OK: '#2ca02c', ALARM: '#d62728', INSUFFICIENT_DATA: '#aab7b8' };
  const boxes = MetricAlarms.map(({ AlarmName = '', StateValue = 'INSUFFICIENT_DATA' }) => {
    const name = /-Alarms(\w+?)[0-9A-F]{8}/.exec(AlarmName)?.[1] ?? AlarmName;
    return `<span style="display:inline-block;margin:0 8px 2px 0;font-size:9px"><span style="color:${colour[StateValue]}">●</span> ${name}</span>`;
  });
  return `<div style="padding:2px 8px;line-height:12px">${boxes.join('')}</div>`;
}

function graphOf({ properties }: Widget, of: RunMetrics): Graph {
  const { title = '', stacked = false, metrics: rows = [], yAxis, annotations } = properties;
  const read = rows.map((row) => rowOf(row, of));
  const named = new Map(
    read.flatMap(({ id, datapoints }) => (id === undefined ? [] : [[id, datapoints]])),
  );
  const shown = read.filter(({ visible }) => visible);
  return {
    title,
    stacked,
    unit: yAxis?.left.label ?? '',
    lines: annotations?.horizontal ?? [],
    series: shown.map(({ label, color, datapoints, expression }, at) => ({
      label,
      color: color ?? COLOURS[at % COLOURS.length] ?? '',
      datapoints: expression === undefined ? datapoints : drawn(expression, named),
    })),
  };
}

function rowOf(row: readonly (string | z.infer<typeof options>)[], of: RunMetrics) {
  const words = row.filter((part) => typeof part === 'string');
  const {
    id,
    visible = true,
    label = '',
    color,
    stat = 'Average',
    expression,
  } = row.find((part) => typeof part === 'object') ?? {};
  const [namespace = '', name = '', ...pairs] = words;
  const dimensions = Object.fromEntries(
    pairs.flatMap((part, at) => (at % 2 === 0 ? [[part, pairs[at + 1] ?? '']] : [])),
  );
  const datapoints =
    expression === undefined ? of.datapointsOf({ namespace, name, dimensions, stat }) : [];
  return { id, visible, label, color, datapoints, expression };
}

/** Values that only an account has, such as its quotas, are not drawn. */
function drawn(expression: string, named: ReadonlyMap<string, Datapoints>): Datapoints {
  return expression.includes('SERVICE_QUOTA') ? [] : evaluate(expression, named);
}
