import { randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { DisplayRange } from '#engine/model/display-range.ts';
import { LOCAL_FOLDER, PROJECT_FOLDER } from '../paths.ts';
import type { ServiceDescription } from '../service-file.ts';
import { drawMap } from './map-picture.ts';
import { watchBatch } from './progress-bars.ts';
import { type BatchStatus, type JobOfBatch, type Models, serviceClient } from './service-client.ts';
import { summaryTable } from './summary-table.ts';
import { receiveWebhooks } from './webhook-receiver.ts';

const EXAMPLE = path.join(PROJECT_FOLDER, 'examples', 'meuse-batch.json');
const RESULTS = path.join(LOCAL_FOLDER, 'demo');

/** The first attempt is immediate; a busy machine needs longer. */
const WEBHOOK_TIMEOUT_MS = 60_000;

/** The demo's output with `--json`. */
export interface ExampleRun {
  readonly batch_id: string;
  readonly status: BatchStatus['status'];
  readonly results: readonly ExampleResult[];
}

interface ExampleResult {
  readonly job_id: string;
  /** Paths of the files; null if the job failed. */
  readonly tif: string | null;
  readonly png: string | null;
}

interface ExampleOptions {
  /** Prints a line of progress. */
  readonly print: (line: string) => void;
  /**
   * The folder of rasters and pictures.
   * @default `.local/demo`
   */
  readonly folder?: string;
}

/**
 * Posts the example batch, shows its progress, receives its webhook and saves its maps.
 * @throws Error if the webhook's signature is wrong or a result cannot be downloaded
 */
export async function runExample(
  service: Pick<ServiceDescription, 'v2_url' | 'api_key'>,
  { print, folder = RESULTS }: ExampleOptions,
): Promise<ExampleRun> {
  const secret = randomBytes(24).toString('base64url');
  const receiver = await receiveWebhooks(secret);
  try {
    const client = serviceClient(service.v2_url, service.api_key);
    const example = JSON.parse(readFileSync(EXAMPLE, 'utf8'));
    const request = { ...example, webhook_url: receiver.url, webhook_secret: secret };
    const { batch_id } = await client.create(request);
    print(`\nPosted ${path.relative(PROJECT_FOLDER, EXAMPLE)} as batch ${batch_id}\n`);
    const { status, jobs } = await watchBatch(client, batch_id, print);
    print(`\nThe batch is ${status}.`);
    const delivery = await receiver.first(WEBHOOK_TIMEOUT_MS);
    if (!delivery.signatureValid) throw new Error('the webhook has a wrong signature');
    print(`The webhook has arrived (${delivery.body.length} bytes); its signature is valid.\n`);
    const results: ExampleResult[] = [];
    const known = await client.models();
    for (const job of jobs) results.push(await saveResult(job, known, folder, print));
    const summarised = jobs.flatMap(({ job_id, name, summary }) =>
      summary === null ? [] : [{ name: name ?? job_id, summary }],
    );
    print('');
    for (const line of summaryTable(summarised)) print(`  ${line}`);
    print(`\nThe maps are in ${folder}. Open the .tif files in QGIS.`);
    return { batch_id, status, results };
  } finally {
    receiver.close();
  }
}

async function saveResult(
  job: JobOfBatch,
  known: Models,
  folder: string,
  print: (line: string) => void,
): Promise<ExampleResult> {
  const { job_id } = job;
  const name = job.name ?? job_id;
  if (job.signed_cog_url === null) {
    print(`  ${name}: ${job.error_message}`);
    return { job_id, tif: null, png: null };
  }
  const response = await fetch(job.signed_cog_url);
  if (!response.ok) throw new Error(`${name}: the download returned ${response.status}`);
  const raster = new Uint8Array(await response.arrayBuffer());
  const stem = path.join(folder, name.toLowerCase().replace(/[^a-z0-9]+/g, '-'));
  const [tif, png] = [`${stem}.tif`, `${stem}.png`];
  mkdirSync(folder, { recursive: true });
  writeFileSync(tif, raster);
  writeFileSync(png, await drawMap(raster, name, sharedRange(known, job.model)));
  print(`  ${name}: ${path.relative(PROJECT_FOLDER, png)}`);
  return { job_id, tif, png };
}

/** One range for all bands of the model, because the picture has one legend. */
function sharedRange({ models }: Models, model: string | null): DisplayRange | null {
  const bands = models.find((known) => known.model === model)?.bands ?? [];
  const ranges = bands.flatMap(({ display_range }) =>
    display_range === null ? [] : [display_range],
  );
  if (ranges.length === 0) return null;
  return [Math.min(...ranges.map(([low]) => low)), Math.max(...ranges.map(([, high]) => high))];
}
