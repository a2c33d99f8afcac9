import { randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { drawMap } from './demo/map-picture.ts';
import { watchBatch } from './demo/progress-bars.ts';
import { type JobOfBatch, serviceClient } from './demo/service-client.ts';
import { receiveWebhooks } from './demo/webhook-receiver.ts';
import { LOCAL_FOLDER, PROJECT_FOLDER } from './paths.ts';
import { startLocalService } from './service.ts';
import { findRunningService, type ServiceDescription } from './service-file.ts';

const EXAMPLE = path.join(PROJECT_FOLDER, 'examples', 'meuse-batch.json');
const RESULTS = path.join(LOCAL_FOLDER, 'demo');

/** Attempt 1 comes at once; the rest is room for a busy machine. */
const WEBHOOK_TIMEOUT_MS = 60_000;

/** `npm run demo`: the whole service once, from a polygon to a map, on this machine. */
async function main(): Promise<void> {
  const running = await findRunningService();
  if (running !== undefined) {
    console.log('Using the service that "npm start" keeps running.');
    return runExample(running);
  }
  const started = Date.now();
  const onStep = (step: string) => {
    console.log(`${String(Math.round((Date.now() - started) / 1000)).padStart(4)} s  ${step} …`);
  };
  const service = await startLocalService({ onStep });
  try {
    await runExample(service.description);
  } finally {
    await service.stop();
  }
}

async function runExample(service: ServiceDescription): Promise<void> {
  const secret = randomBytes(24).toString('base64url');
  const receiver = await receiveWebhooks(secret);
  try {
    const client = serviceClient(service.v2_url, service.api_key);
    const example = JSON.parse(readFileSync(EXAMPLE, 'utf8'));
    const order = { ...example, webhook_url: receiver.url, webhook_secret: secret };
    const { batch_id: batchId } = await client.create(order);
    console.log(`\nPosted ${path.relative(PROJECT_FOLDER, EXAMPLE)} as batch ${batchId}\n`);
    const batch = await watchBatch(client, batchId);
    console.log(`\nThe batch is ${batch.status}.`);
    const delivery = await receiver.first(WEBHOOK_TIMEOUT_MS);
    if (!delivery.signatureValid) throw new Error('the webhook came with a wrong signature');
    console.log(`The webhook came (${delivery.body.length} bytes) and its signature is right.\n`);
    for (const job of batch.jobs) await keepResult(job);
    console.log(`\nLook at the maps in ${RESULTS}, open the .tif files in QGIS.`);
    console.log('Next:  npm start  keeps the service running, and then');
    console.log('  source .local/service.env');
    console.log('  curl "$V2_URL/v1/batch" -H "Authorization: Bearer $API_KEY" \\');
    console.log('    -H "Content-Type: application/json" --data-binary @examples/meuse-batch.json');
  } finally {
    receiver.close();
  }
}

async function keepResult(job: JobOfBatch): Promise<void> {
  const name = job.name ?? job.job_id;
  if (job.signed_cog_url === null) {
    console.log(`  ${name}: ${job.error_message}`);
    return;
  }
  const response = await fetch(job.signed_cog_url);
  if (!response.ok) throw new Error(`${name}: the download answered ${response.status}`);
  const raster = new Uint8Array(await response.arrayBuffer());
  const stem = path.join(RESULTS, name.toLowerCase().replace(/[^a-z0-9]+/g, '-'));
  mkdirSync(RESULTS, { recursive: true });
  writeFileSync(`${stem}.tif`, raster);
  const picture = await drawMap(raster, {
    title: `Soil organic carbon, 0–20 cm · ${name}`,
    subtitle: `model ${job.model}, year ${job.year} · mean and 90 % prediction interval`,
    unit: 'kg/m³',
  });
  writeFileSync(`${stem}.png`, picture);
  console.log(`  ${name}: ${path.relative(PROJECT_FOLDER, `${stem}.png`)}`);
}

main().catch((error: unknown) => {
  console.error(error instanceof Error ? `demo: ${error.message}` : error);
  process.exitCode = 1;
});
