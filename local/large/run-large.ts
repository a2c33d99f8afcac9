import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import * as z from 'zod';
import { manifestSchema } from '#engine/model/pack/manifest.ts';
import { stepLine } from '../command-line.ts';
import { watchBatch } from '../demo/progress-bars.ts';
import { serviceClient } from '../demo/service-client.ts';
import { LOCAL_FOLDER } from '../paths.ts';
import { startLocalService } from '../service.ts';
import { countingProxy } from './counting-proxy.ts';
import { type FunctionMemory, watchFunctionMemory } from './function-memory.ts';
import {
  makeSyntheticPack,
  PACK_NAME,
  PACKS_FOLDER,
  type SyntheticOptions,
  squarePolygon,
} from './synthetic-pack.ts';

const EDGE_CELLS = 20_000;
/** A cell in the archipelago of the synthetic pack. */
const CORNER = { col: 205_000, row: 215_000 };
/** 20,000² cells of 10 m are 4,000,000 ha on LAEA; ground area is the same to a thousandth. */
const HECTARES = 4_100_000;

/** The output of `npm run demo -- --large --json`. */
export interface LargeRun {
  readonly batch_id: string;
  readonly status: string;
  readonly cells: number;
  readonly patch_batches: number | null;
  readonly seconds: number;
  readonly bytes: number;
  readonly memory_mb: readonly FunctionMemory[];
  readonly readings: readonly Reading[];
}

interface Reading {
  readonly what: string;
  readonly seen: unknown;
  readonly bytes: number;
  readonly requests: number;
}

/**
 * Deploys the service with the synthetic pack, predicts a raster of 20,000 × 20,000 cells for a tenant
 * with sufficient limits, and reads it with GDAL through its signed URL.
 * @throws Error if the job fails
 */
export async function runLarge(
  options: SyntheticOptions,
  print: (line: string) => void,
): Promise<LargeRun> {
  const started = Date.now();
  const step = (what: string): void => print(stepLine(started, `${what} …`));
  step('making the synthetic pack');
  makeSyntheticPack(options);
  const service = await startLocalService({
    entry: 'local/large/app.ts',
    limits: { hectaresPerJob: HECTARES, hectaresPerDay: HECTARES },
    onStep: step,
  });
  try {
    const { v2_url, api_key, endpoint_url } = service.description;
    const client = serviceClient(v2_url, api_key);
    const { batch_id } = await client.create({ model: PACK_NAME, jobs: [largeJob()] });
    step(`posted ${EDGE_CELLS.toLocaleString('en')}² cells as batch ${batch_id}`);
    const posted = Date.now();
    const memory = watchFunctionMemory(endpoint_url);
    const { status, jobs } = await watchBatch(client, batch_id, everyTenth(print));
    const seconds = (Date.now() - posted) / 1_000;
    const memory_mb = memory.stop();
    const [job] = jobs;
    if (job === undefined || job.signed_cog_url === null) {
      throw new Error(`the job ${job?.status}: ${job?.error_message}`);
    }
    const detail = await client.jobStatus(batch_id, job.job_id);
    const cells = EDGE_CELLS ** 2;
    const bytes = await sizeOf(job.signed_cog_url);
    const run = { batch_id, status, cells, patch_batches: detail.total_patch_batches };
    print(`\n${cells.toLocaleString('en')} cells in ${run.patch_batches} patch-batches:`);
    print(`  ${seconds.toFixed(0)} s from the request to the result of ${megabytes(bytes)}`);
    reportMemory(memory_mb, print);
    const readings = await readByRanges(job.signed_cog_url);
    reportReadings(readings, print);
    return { ...run, seconds, bytes, memory_mb, readings };
  } finally {
    await service.stop();
  }
}

function largeJob() {
  const file = path.join(PACKS_FOLDER, PACK_NAME, 'manifest.json');
  const { grid } = manifestSchema.parse(JSON.parse(readFileSync(file, 'utf8')));
  return {
    name: 'archipelago',
    year: 2020,
    polygon: squarePolygon(grid, CORNER.col, CORNER.row, EDGE_CELLS),
  };
}

/** Prints every tenth line: without progress bars, 400 patch-batches would print too many. */
function everyTenth(print: (line: string) => void): (line: string) => void {
  let lines = 0;
  return (line) => {
    if (lines++ % 10 === 0) print(line);
  };
}

async function sizeOf(url: string): Promise<number> {
  const response = await fetch(url, { headers: { range: 'bytes=0-0' } });
  return Number(response.headers.get('content-range')?.split('/')[1]);
}

const withPosition = z.object({ position: z.tuple([z.number(), z.number()]) });

async function readByRanges(url: string): Promise<readonly Reading[]> {
  const proxy = await countingProxy();
  try {
    const read = async (...what: readonly string[]): Promise<Reading> => {
      const seen: unknown = JSON.parse(await gdal(proxy.url, [url, ...what]));
      return { what: what.join(' '), seen, ...proxy.take() };
    };
    const [header, overview] = [await read('header'), await read('overview')];
    // Nine tenths of the archipelago are sea: the overview shows where a window has data.
    const { position } = withPosition.parse(overview.seen);
    return [header, overview, await read('window', ...position.map(String))];
  } finally {
    proxy.close();
  }
}

/** Asynchronous, because the proxy runs in this process. */
async function gdal(proxy: string, args: readonly string[]): Promise<string> {
  const script = path.join(import.meta.dirname, 'read_by_ranges.py');
  const python = path.join(LOCAL_FOLDER, 'venv', 'bin', 'python');
  // curl uses no proxy for hosts in these variables.
  const env = { ...process.env, GDAL_HTTP_PROXY: proxy, NO_PROXY: '', no_proxy: '' };
  return (await promisify(execFile)(python, [script, ...args], { env })).stdout;
}

function megabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(2)} MB`;
}

function reportMemory(memory: readonly FunctionMemory[], print: (line: string) => void): void {
  print('\nMaximum memory of one process per function in MiB, first and second half of the run:');
  for (const { function: name, first_half, second_half } of memory) {
    print(`  ${name}: ${first_half}, ${second_half}`);
  }
}

function reportReadings(readings: readonly Reading[], print: (line: string) => void): void {
  print('\nReads by GDAL through /vsicurl/ with the signed URL:');
  for (const { what, bytes, requests, seen } of readings) {
    print(`  ${what}: ${megabytes(bytes)} in ${requests} requests; ${JSON.stringify(seen)}`);
  }
}
