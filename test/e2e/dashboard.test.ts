import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import type { Batch } from '../../client/src/index.ts';
import { openCloudWatch, readDashboard } from '../support/dashboard/deployed-dashboard.ts';
import { type FiveBatches, makeFiveBatches } from '../support/dashboard/five-batches.ts';
import { evaluateQuery, type Row } from '../support/dashboard/insights.ts';
import { eventually } from '../support/deployed/eventually.ts';
import { readLogLines } from '../support/deployed/log-lines.ts';
import { newTenant } from '../support/deployed/new-tenant.ts';
import { synthesise } from '../support/infra/synthesised.ts';

const service = inject('service');
const started = new Date();
let five: FiveBatches;

beforeAll(async () => {
  five = await makeFiveBatches(service, newTenant);
});
afterAll(() => five[Symbol.asyncDispose]());

const evaluate = async (query: string) =>
  evaluateQuery(query, await readLogLines(service, started), new Date());

/** Evaluates a saved query, with the value in place of its quoted placeholder. */
function runSavedQuery(name: string, value = ''): Promise<readonly Row[]> {
  const { ofType, text } = synthesise('local');
  const found = ofType('AWS::Logs::QueryDefinition').find(({ properties }) =>
    text(properties['Name']).endsWith(`/${name}`),
  );
  const query = text(found?.properties['QueryString']);
  return evaluate(query.replace(/"put the \w+ here"/, `"${value}"`));
}

async function runningBatches(): Promise<readonly Row[]> {
  const widgets = await readDashboard(openCloudWatch(service));
  return evaluate(widgets.find(({ type }) => type === 'log')?.properties.query ?? '');
}

async function stateOf(batch: Batch): Promise<Row> {
  const { completed_jobs, failed_jobs, total_jobs, jobs } = await batch.status({
    jobs: 'all',
  });
  const details = await Promise.all(jobs.map(({ job_id }) => batch.job(job_id)));
  const done = details.map(({ completed_patch_batches }) => completed_patch_batches ?? 0);
  return {
    batch_id: batch.id,
    ...{ completed_jobs, failed_jobs, total_jobs },
    completed_patch_batches: done.reduce((sum, each) => sum + each, 0),
  };
}

describe('the widget of running batches', () => {
  it('shows the true state of each batch with a slot, even if it has one job or started six hours ago, and no ended batch', async () => {
    const batches = [five.running, five.sixHours, five.oneJob];
    const byId = (rows: readonly Row[]) =>
      rows.toSorted((a, b) => String(a['batch_id']).localeCompare(String(b['batch_id'])));
    // An ended batch stays in the widget for two minutes.
    const rows = await eventually(
      async () => ({
        shown: byId(await runningBatches()),
        true: byId(await Promise.all(batches.map(stateOf))),
      }),
      ({ shown, true: expected }) =>
        shown.length === expected.length &&
        expected.every((state, at) =>
          Object.entries(state).every(([name, value]) => shown[at]?.[name] === value),
        ),
    );
    const row = (batch: Batch) => rows.shown.find((one) => one['batch_id'] === batch.id);
    const hours = (Date.now() - Date.parse(String(row(five.sixHours)?.['since']))) / 3_600_000;
    expect(hours).toBeGreaterThan(5.9);
    expect(String(row(five.oneJob)?.['tenant'])).toMatch(/^institute/);
    expect(row(five.running)).toMatchObject({ failed_jobs: 1, total_jobs: 41 });
  });
});

describe('the saved queries', () => {
  it('show the steps of a batch, newest first', async () => {
    const rows = await runSavedQuery('one batch', five.partial.id);
    const times = rows.map((row) => Number(row['@timestamp']));
    expect(times).toEqual(times.toSorted((a, b) => b - a));
    const events = rows.map((row) => row['event']);
    for (const event of ['create-batch', 'plan-job', 'predict-patch-batch', 'assemble-raster']) {
      expect(events).toContain(event);
    }
    expect(rows.find((row) => row['event'] === 'batch-ended')).toMatchObject({
      outcome: 'partial',
    });
  });

  it("distinguish a tenant's requests from its work", async () => {
    const creation = `filter event = "create-batch" and batch_id = "${five.cancelled.id}"`;
    const [created] = await evaluate(`fields tenant | ${creation}`);
    const tenant = String(created?.['tenant']);
    const requests = await runSavedQuery("a tenant's requests", tenant);
    expect(requests.filter((one) => one['event'] === 'create-batch')).toHaveLength(2);
    expect(requests.filter((one) => one['event'] === 'cancel-batch')).toMatchObject([
      { status: 202, batch_id: five.cancelled.id },
    ]);
    const work = await runSavedQuery("a tenant's work", tenant);
    expect(work.map((one) => one['event'])).toContain('batch-ended');
    expect(work.map((one) => one['event'])).not.toContain('cancel-batch');
  });

  it('list each ended batch, including the cancelled one, in order of cost', async () => {
    const rows = await runSavedQuery('expensive batches');
    const states = await Promise.all(
      [five.cancelled, five.partial].map(async (batch) => (await batch.status()).status),
    );
    const of = (batch: Batch) => rows.filter((row) => row['batch_id'] === batch.id);
    expect([five.cancelled, five.partial].map(of)).toMatchObject(
      states.map((outcome) => [{ outcome }]),
    );
    const costs = rows.map((row) => Number(row['cost.total']));
    expect(costs).toEqual(costs.toSorted((a, b) => b - a));
    expect(Math.min(...costs)).toBeGreaterThan(0);
  });

  it('count requests, rejections and failures by operation', async () => {
    await expect(five.partial.cancel()).rejects.toThrow();
    const rows = await runSavedQuery('operations');
    const of = (event: string) => rows.find((row) => row['event'] === event);
    expect(of('create-batch')).toMatchObject({ requests: 5, refused: 0, failed: 0 });
    expect(of('cancel-batch')).toMatchObject({ requests: 2, refused: 1, failed: 0 });
    expect(Number(of('create-batch')?.['p50'])).toBeLessThanOrEqual(
      Number(of('create-batch')?.['p99']),
    );
  });

  it('count failed jobs by error', async () => {
    const failed = (
      await Promise.all([five.partial, five.running].map((one) => one.status({ jobs: 'failed' })))
    )
      .flatMap(({ jobs }) => jobs)
      .flatMap(({ error_code }) => error_code ?? []);
    expect(await runSavedQuery('why jobs fail')).toEqual([
      { error: failed[0], jobs: failed.length, batches: 2 },
    ]);
  });

  it('show the attempt to deliver a webhook, runs of the reconciler, and no service errors', async () => {
    expect(await runSavedQuery('webhook attempts')).toMatchObject([
      { batch_id: five.partial.id, attempt: 1, outcome: 'acknowledged', status_code: 200 },
    ]);
    expect((await runSavedQuery('reconciler runs'))[0]).toMatchObject({
      outcome: 'ok',
      failures: 0,
    });
    expect(await runSavedQuery('service errors')).toEqual([]);
  });

  // The query `gateway` may also select lines of functions, by their status. Only the gateway's lines have a resource,
  // and the emulator's gateway writes none.
  it.each(['gateway', 'crashes and timeouts'])(
    'can be evaluated even if the emulator writes no lines that they select: %s',
    async (name) => {
      const rows = await runSavedQuery(name);
      expect(rows.filter((row) => row['resource'] !== undefined || name !== 'gateway')).toEqual([]);
    },
  );
});
