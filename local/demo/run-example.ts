import { randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { type BatchStatus, type Job, type ModelList, SoilClient } from 'soil-batch-client';
import type { DisplayRange } from '#engine/model/display-range.ts';
import { LOCAL_FOLDER, PROJECT_FOLDER } from '../paths.ts';
import type { ServiceDescription } from '../service-file.ts';
import { drawMap } from './map-picture.ts';
import { formatSummaryTable } from './summary-table.ts';
import { watchBatch } from './watch-batch.ts';
import { receiveWebhooks } from './webhook-receiver.ts';

const EXAMPLE = path.join(PROJECT_FOLDER, 'examples', 'meuse-batch.json');
const RESULTS = path.join(LOCAL_FOLDER, 'demo');

/** The service sends the webhook as soon as the batch is final, but a busy machine needs longer. */
const WEBHOOK_TIMEOUT_MS = 60_000;

export interface ExampleRun {
  readonly batch_id: string;
  readonly status: BatchStatus['status'];
  readonly results: readonly ExampleResult[];
}

interface ExampleResult {
  readonly job_id: string;
  /** The path of the raster; null if the job failed. */
  readonly tif: string | null;
  readonly png: string | null;
}

interface ExampleOptions {
  readonly print: (line: string) => void;
  /** The folder for rasters and pictures. @default `.local/demo` */
  readonly folder?: string;
}

/** @throws Error if the webhook's signature is wrong or a result cannot be downloaded */
export async function runExample(
  service: Pick<ServiceDescription, 'v2_url' | 'api_key'>,
  { print, folder = RESULTS }: ExampleOptions,
): Promise<ExampleRun> {
  const secret = randomBytes(24).toString('base64url');
  const receiver = await receiveWebhooks(secret);
  try {
    const client = new SoilClient({ baseUrl: service.v2_url, apiKey: service.api_key });
    const example = JSON.parse(readFileSync(EXAMPLE, 'utf8'));
    const request = { ...example, webhook_url: receiver.url, webhook_secret: secret };
    const { batch_id } = await client.createBatch(request);
    const batch = client.batch(batch_id);
    print(`\nPosted ${path.relative(PROJECT_FOLDER, EXAMPLE)} as batch ${batch_id}\n`);
    const { status, jobs } = await watchBatch(batch, print);
    print(`\nThe batch is ${status}.`);
    const bytes = await receiver.first(WEBHOOK_TIMEOUT_MS);
    print(`The webhook has arrived (${bytes} bytes); its signature is valid.\n`);
    const results: ExampleResult[] = [];
    const known = await client.models();
    for (const job of jobs) {
      const raster = job.result === null ? null : await readAllBytes(batch.download(job));
      results.push(await saveResult(job, raster, known, folder, print));
    }
    const summarised = jobs.flatMap(({ job_id, name, summary }) =>
      summary === null ? [] : [{ name: name ?? job_id, summary }],
    );
    print('');
    for (const line of formatSummaryTable(summarised)) print(`  ${line}`);
    print(`\nThe maps are in ${folder}. Open the .tif files in QGIS.`);
    return { batch_id, status, results };
  } finally {
    receiver.close();
  }
}

async function readAllBytes(stream: ReadableStream<Uint8Array>): Promise<Uint8Array> {
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

async function saveResult(
  job: Job,
  raster: Uint8Array | null,
  known: ModelList,
  folder: string,
  print: (line: string) => void,
): Promise<ExampleResult> {
  const { job_id } = job;
  const name = job.name ?? job_id;
  if (raster === null) {
    print(`  ${name}: ${job.error_message}`);
    return { job_id, tif: null, png: null };
  }
  const stem = path.join(folder, name.toLowerCase().replace(/[^a-z0-9]+/g, '-'));
  const [tif, png] = [`${stem}.tif`, `${stem}.png`];
  mkdirSync(folder, { recursive: true });
  writeFileSync(tif, raster);
  writeFileSync(png, await drawMap(raster, name, findSharedRange(known, job.model)));
  print(`  ${name}: ${path.relative(PROJECT_FOLDER, png)}`);
  return { job_id, tif, png };
}

/** Returns one range for all bands of the model, because the picture has one legend. */
function findSharedRange({ models }: ModelList, model: string | null): DisplayRange | null {
  const bands = models.find((known) => known.model === model)?.bands ?? [];
  const ends = bands.flatMap(({ display_range }) => display_range ?? []);
  return ends.length === 0 ? null : [Math.min(...ends), Math.max(...ends)];
}
