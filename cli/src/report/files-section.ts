import { createHash } from 'node:crypto';
import { type Html, html } from 'soil-batch-client';
import type { ResultJob } from '../results/result-columns.ts';
import type { StoredFacts } from '../results/run-facts.ts';
import type { CheckedFile } from '../run/digests.ts';
import { sentFeature } from '../run/plan-run.ts';

/** A sentence for each kind of fault that the files of a run have; none if all are as downloaded. */
export function fileFaults(files: readonly CheckedFile[]): readonly string[] {
  const named = (state: CheckedFile['state']) =>
    files.filter((file) => file.state === state).map(({ file }) => file);
  const sentence = (what: string, names: readonly string[]) =>
    names.length === 0 ? [] : [`${what}: ${names.join(', ')}.`];
  return [
    ...sentence('Changed since the download', named('changed')),
    ...sentence('Missing', named('missing')),
    ...sentence('Without the digest of the download', named('not recorded')),
  ];
}

/** Before all figures: whether the files of the run are those that were downloaded. */
export function filesNotice(files: readonly CheckedFile[]): Html {
  const faults = fileFaults(files);
  if (faults.length === 0) {
    return html`<p>${files.length} files of the run are as they were downloaded (<a href="#digests">digests</a>).</p>`;
  }
  return html`<section class="alert" role="alert"><h2>Files of this run are not as downloaded</h2>
${faults.map((fault) => html`<p>${fault}</p>`)}
<p>No figure here comes from a changed table, list of jobs or totals. “soil-batch download” fetches tables and missing
rasters again; remove a changed raster before.</p>
</section>`;
}

interface DigestSources {
  readonly input: {
    readonly name: string;
    readonly sha256: string;
    readonly storedFile: string;
    readonly storedSha256: string;
  };
  readonly jobs: readonly ResultJob[];
  readonly files: readonly CheckedFile[];
  readonly facts: StoredFacts;
}

/** SHA-256 of what the figures were made from. */
export function digestsSection({ input, jobs, files, facts }: DigestSources): Html {
  const polygons = new Map(
    jobs.flatMap((job) => (job.file === null ? [] : [[job.file, polygonDigest(job)]])),
  );
  const rows: readonly DigestRow[] = [
    { what: `${input.name}, the file of fields`, digest: input.sha256 },
    { what: `${input.storedFile}, the fields as read from it`, digest: input.storedSha256 },
    ...(facts.models ?? []).map(({ model, model_sha256 }) => ({
      what: `Pack of ${model}`,
      digest: model_sha256,
    })),
    ...files.map((file) => ({
      what: file.file,
      digest: file.recorded ?? `not recorded`,
      ...(file.state === 'unchanged' ? {} : { now: file.found ?? 'missing' }),
      ...(polygons.has(file.file) ? { polygon: polygons.get(file.file) } : {}),
    })),
  ];
  return html`<h2 id="digests">Digests</h2>
<p>SHA-256: “sha256sum” gives that of a file. Digests of files are those of the download, and “now” is what the folder
has. They show a change, but somebody who also changes the folder’s hidden “.soil-batch” is found only with the service:
the results table of a batch has its figures, and “npm run verify” predicts cells of a raster again. A polygon’s digest, of the
Feature that was sent, is POLYGON_SHA256 in its raster; a pack’s is of PACK_SHA256, the
digests of its files, with a line end after each line.</p>
<table class="digests"><tbody>${rows.map(
    ({ what, digest, now, polygon }) => html`<tr><td>${what}</td><td><code>${digest}</code>${
      now === undefined ? null : html`<br><b>now <code>${now}</code></b>`
    }${polygon === undefined ? null : html`<br><small>polygon <code>${polygon}</code></small>`}</td></tr>
`,
  )}</tbody></table>`;
}

interface DigestRow {
  readonly what: string;
  readonly digest: string;
  readonly now?: string;
  readonly polygon?: string | undefined;
}

/** As the service computes it. */
function polygonDigest(job: ResultJob): string {
  return createHash('sha256')
    .update(JSON.stringify(sentFeature(job)))
    .digest('hex');
}
