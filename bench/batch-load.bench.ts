import { setTimeout as sleep } from 'node:timers/promises';
import * as z from 'zod';
import { dynamoJobStore } from '../lambdas/adapters/dynamodb/jobs.ts';
import {
  batchStatusResponse,
  creationResponse,
} from '../lambdas/api/definitions/batch-responses.ts';

import { type LocalService, startLocalService } from '../local/service.ts';
import { openDeployedTable } from '../test/support/deployed/deployed-table.ts';
import { SEVERAL_PATCH_BATCHES } from '../test/support/deployed/jobs.ts';
import type { Bench, BenchReport } from './bench.ts';
import { cpuByName } from './load/function-cpu.ts';

const JOBS = 100;
const WARM_UP_JOBS = 5;
const PORT = 4_732;
const POLL_MS = 2_000;

const counts = z.record(z.string(), z.number());

interface Snapshot {
  readonly counts: Readonly<Record<string, number>>;
  readonly cpu: ReadonlyMap<string, number>;
}

async function snapshot({ description, emulatorProcessId }: LocalService): Promise<Snapshot> {
  if (emulatorProcessId === undefined) throw new Error('measures an emulator of its own only');
  const response = await fetch(new URL('/_operations', description.endpoint_url));
  return { counts: counts.parse(await response.json()), cpu: cpuByName(emulatorProcessId) };
}

/** Runs a batch to its end. @returns its id */
async function runBatch(baseUrl: string, apiKey: string, jobs: number): Promise<string> {
  const headers = { Authorization: `Bearer ${apiKey}`, 'Content-Type': 'application/json' };
  const body = JSON.stringify({ jobs: Array(jobs).fill(SEVERAL_PATCH_BATCHES) });
  const created = await fetch(`${baseUrl}/v1/batch`, { method: 'POST', headers, body });
  const { batch_id } = creationResponse.parse(await created.json());
  for (;;) {
    const response = await fetch(`${baseUrl}/v1/batch/${batch_id}/status?jobs=none`, { headers });
    const { status, completed_at } = batchStatusResponse.parse(await response.json());
    if (completed_at !== null) {
      if (status !== 'completed') throw new Error(`the batch is ${status}`);
      return batch_id;
    }
    await sleep(POLL_MS);
  }
}

interface Load {
  readonly before: Snapshot;
  readonly after: Snapshot;
  readonly seconds: number;
  readonly cells: number;
  readonly patchBatches: number;
  readonly predictionSeconds: number;
}

async function measured(): Promise<Load> {
  const service = await startLocalService({ port: PORT });
  try {
    const { v2_url } = service.description;
    const key = await service.issueApiKey('bench', { hectaresPerDay: 1_000_000 });
    await runBatch(v2_url, key, WARM_UP_JOBS);
    const before = await snapshot(service);
    const startedAt = performance.now();
    const batchId = await runBatch(v2_url, key, JOBS);
    const seconds = (performance.now() - startedAt) / 1_000;
    const after = await snapshot(service);
    const jobs = await dynamoJobStore(await openDeployedTable(service.description)).list(batchId);
    const sum = (of: (job: (typeof jobs)[number]) => number | undefined) =>
      jobs.reduce((total, job) => total + (of(job) ?? 0), 0);
    return {
      before,
      after,
      seconds,
      cells: sum(({ progress }) => progress?.pointCount),
      patchBatches: sum(({ progress }) => progress?.totalPatchBatches),
      predictionSeconds: sum(({ use }) => use?.predictionMs) / 1_000,
    };
  } finally {
    await service.stop();
  }
}

/** The requests and state transitions of a job, and the CPU time of every process. */
function rowsOf({ before, after, predictionSeconds }: Load): BenchReport['rows'] {
  const calls = Object.entries(after.counts)
    .filter(([name]) => /^(requests|states|lambda\.calls|dynamodb)\./.test(name))
    .map(([name, count]) => [name, (count - (before.counts[name] ?? 0)) / JOBS] as const)
    .filter(([, perJob]) => perJob >= 0.05)
    .map(([name, perJob]) => [readable(name), perJob.toFixed(1)]);
  const cpu = [...after.cpu]
    .map(([name, seconds]) => [name, seconds - (before.cpu.get(name) ?? 0)] as const)
    .filter(([, seconds]) => seconds / JOBS >= 0.001)
    .sort(([, a], [, b]) => b - a)
    .map(([name, seconds]) => [`CPU ms of ${readable(name)}`, inMs(seconds)]);
  return [...calls.sort(), ['ms of prediction', inMs(predictionSeconds)], ...cpu];
}

const inMs = (seconds: number) => ((1_000 * seconds) / JOBS).toFixed(0);

/** Without the stack, the service and the suffix that CloudFormation adds. */
function readable(name: string): string {
  return name
    .replace(/^requests\.(DynamoDB|AWSStepFunctions|AmazonSQS|TrentService)\./, '$1 ')
    .replace(/^lambda\.calls\./, 'Lambda ')
    .replace(/[\w-]*Stateless-([A-Za-z]+?)[0-9A-F]{8}\w*(?:-\w+)?$/, '$1');
}

function cpuSeconds({ before, after }: Load): {
  readonly functions: number;
  readonly emulator: number;
} {
  const used = [...after.cpu].map(
    ([name, seconds]) => [name, seconds - (before.cpu.get(name) ?? 0)] as const,
  );
  const sum = (isEmulator: boolean) =>
    used
      .filter(([name]) => (name === 'emulator') === isEmulator)
      .reduce((total, [, seconds]) => total + seconds, 0);
  return { functions: sum(false), emulator: sum(true) };
}

export const bench: Bench = {
  title: 'AWS requests and CPU time per job of a batch on the emulator',
  async run(): Promise<BenchReport> {
    const load = await measured();
    const { seconds, cells, patchBatches } = load;
    const { functions, emulator } = cpuSeconds(load);
    return {
      columns: ['of a job', 'mean'],
      rows: rowsOf(load),
      notes: [
        `A batch of ${JOBS} jobs with ${patchBatches / JOBS} patch-batches and ${Math.round(cells / JOBS).toLocaleString('en')} cells each, after one of ${WARM_UP_JOBS} to warm up: ${seconds.toFixed(0)} s, in which the functions used ${functions.toFixed(0)} s of CPU time and the emulator ${emulator.toFixed(0)} s. In the rest of the time steps wait: the stage \`local\` runs one job at a time. The time of prediction is what the job items count, by the clock; the CPU time of \`PipelinePredictPatchBatch\` includes it.`,
      ],
      versions: {},
    };
  },
};
