import type { Batch, BatchStatus, Job, SoilClient } from 'soil-batch-client';
import { button, fill, h } from '../element.ts';
import { formatFileSize } from '../numbers.ts';
import { save } from '../save.ts';
import { findDisplayRange } from '../state/display-ranges.ts';
import { explainError } from '../state/messages.ts';
import type { DisplayRanges } from '../state/session.ts';
import { TEXTS } from '../texts.ts';
import { readResultsCsv } from './results-csv.ts';

/** The page holds all rasters in memory, and twice while it builds the archive. */
const MOST_BYTES = 200_000_000;
const DOWNLOADS_AT_ONCE = 4;

export function batchFiles(client: SoilClient, batch: Batch, signal: AbortSignal) {
  let fileName = batch.id;
  let ranges: DisplayRanges;
  const status = h('p', { role: 'status', class: 'muted' });
  const error = h('p', { role: 'alert', class: 'error' });
  const action = (label: string, work: () => Promise<void>) => {
    const pressed = button(label, async () => {
      pressed.disabled = true;
      fill(error);
      try {
        await work();
      } catch (reason) {
        if (!signal.aborted) fill(error, explainError(reason));
      }
      pressed.disabled = false;
      fill(status);
    });
    return pressed;
  };
  const rasters = action(TEXTS.batch.allRasters, async () => {
    const jobs = await readCompletedJobs(batch, signal);
    const total = jobs.reduce((sum, { result }) => sum + (result?.bytes ?? 0), 0);
    if (total > MOST_BYTES) {
      return fill(error, TEXTS.batch.tooMany(formatFileSize(total), formatFileSize(MOST_BYTES)));
    }
    const packed = await packResults(client, batch, { jobs, ranges }, signal, (received) =>
      fill(status, TEXTS.batch.received(formatFileSize(received), formatFileSize(total))),
    );
    save(`${fileName}.zip`, packed);
  });
  const element = h(
    'section',
    { hidden: true },
    h('h2', {}, TEXTS.batch.files),
    h(
      'div',
      { class: 'row' },
      action(TEXTS.batch.geojson, async () => {
        save(`${fileName}.geojson`, await readGeoJson(batch, signal));
      }),
      action(TEXTS.batch.csv, async () => {
        const names = nameRasters(await readCompletedJobs(batch, signal));
        const text = await readResultsCsv(batch, names, signal);
        save(`${fileName}.csv`, new Blob([text], { type: 'text/csv' }));
      }),
      rasters,
    ),
    status,
    error,
  );
  return {
    element,
    show(now: BatchStatus) {
      element.hidden = false;
      fileName = now.name ?? batch.id;
      ranges = now.display_ranges;
      rasters.hidden = now.completed_jobs === 0;
    },
  };
}

async function readGeoJson(batch: Batch, signal: AbortSignal): Promise<Blob> {
  const pages: string[] = [];
  for await (const { text } of batch.results({ signal })) pages.push(text);
  const type = 'application/geo+json';
  return new Blob(pages.length === 1 ? pages : [joinPages(pages)], { type });
}

async function readCompletedJobs(batch: Batch, signal: AbortSignal): Promise<readonly Job[]> {
  const jobs: Job[] = [];
  for await (const job of batch.jobs({ status: 'completed', signal })) jobs.push(job);
  return jobs;
}

/** The archive is not compressed, because the rasters already are. */
async function packResults(
  client: SoilClient,
  batch: Batch,
  { jobs, ranges }: { readonly jobs: readonly Job[]; readonly ranges: DisplayRanges },
  signal: AbortSignal,
  progress: (received: number) => void,
): Promise<Blob> {
  const { Zip, ZipPassThrough } = await import('fflate');
  const parts: Uint8Array<ArrayBuffer>[] = [];
  const zip = new Zip((error, chunk) => {
    if (error !== null) throw error;
    parts.push(new Uint8Array(chunk));
  });
  const addFile = (name: string) => {
    const file = new ZipPassThrough(name);
    zip.add(file);
    return file;
  };
  const addText = (name: string, text: string) =>
    addFile(name).push(new TextEncoder().encode(text), true);
  const failed = new AbortController();
  const stopped = AbortSignal.any([signal, failed.signal]);
  let received = 0;
  const addRaster = async (job: Job) => {
    const file = addFile(rasterName(job));
    const reader = batch.download(job, { signal: stopped }).getReader();
    for (let read = await reader.read(); !read.done; read = await reader.read()) {
      file.push(read.value);
      received += read.value.length;
      progress(received);
    }
    file.push(new Uint8Array(), true);
  };
  const left = [...jobs];
  const addRasters = async () => {
    for (let job = left.shift(); job !== undefined; job = left.shift()) await addRaster(job);
  };
  try {
    await Promise.all(Array.from({ length: DOWNLOADS_AT_ONCE }, addRasters));
  } catch (error) {
    failed.abort();
    throw error;
  }
  const styles = new Map<string, string>();
  for (const job of jobs) {
    const { model } = job;
    if (model === null) continue;
    const range = findDisplayRange(ranges, model) ?? undefined;
    const style = styles.get(model) ?? (await client.modelStyle(model, { range, signal }));
    styles.set(model, style);
    addText(rasterName(job).replace(/\.tif$/, '.qml'), style);
  }
  addText('results.csv', await readResultsCsv(batch, nameRasters(jobs), signal));
  zip.end();
  return new Blob(parts, { type: 'application/zip' });
}

function nameRasters(jobs: readonly Job[]): ReadonlyMap<string, string> {
  return new Map(jobs.map((job) => [job.job_id, rasterName(job)]));
}

/** The file name in a signed URL, which the service makes plain and unique within the batch. */
function rasterName({ job_id, signed_cog_url }: Job): string {
  const query = signed_cog_url === null ? null : new URL(signed_cog_url).searchParams;
  const disposition = query?.get('response-content-disposition') ?? '';
  return /filename="([\w.-]+)"/.exec(disposition)?.[1] ?? `${job_id}.tif`;
}

const FEATURES = '"features":[';

/**
 * Joins all pages of a table into one FeatureCollection. It joins text, because parsing would round integers
 * above 2^53, and relies on the service to write `features` last.
 */
function joinPages(pages: readonly string[]): string {
  const features = pages.map((page) =>
    page.slice(page.indexOf(FEATURES) + FEATURES.length, page.lastIndexOf(']')),
  );
  return `{"type":"FeatureCollection",${FEATURES}${features.join(',')}]}`;
}
