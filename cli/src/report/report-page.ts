import { fieldsMap, type Html, html, unitText } from 'soil-batch-client';
import type { ResultJob } from '../results/result-columns.ts';
import type { RunFacts } from '../results/run-facts.ts';
import { methodSection } from './method-section.ts';
import { modelSections } from './model-sections.ts';
import { figure, interval } from './numbers.ts';
import { STYLE } from './style.ts';

/** What a report is made of: only what the folder of a run holds. */
export interface ReportSources {
  readonly title: string;
  /** Of the service. */
  readonly baseUrl: string;
  readonly createdAt: string;
  /** SHA-256 of the fields as read from the client's file. */
  readonly inputDigest: string;
  readonly jobs: readonly ResultJob[];
  /** SHA-256 of each raster, by its file name. */
  readonly rasterDigests: ReadonlyMap<string, string>;
  /** Null if the folder has none: a run of an older version. */
  readonly facts: RunFacts | null;
  /** Of the program. */
  readonly version: string;
}

type Total = NonNullable<RunFacts['totals']>['totals'][number];

/** One page without anything from outside it: it can be sent, archived and printed. */
export function reportPage(sources: ReportSources): string {
  const { title, jobs, facts, version } = sources;
  const completed = jobs.filter(({ job }) => job?.status === 'completed');
  const { html: page } = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>${title}: soil report</title>
<style>${{ html: STYLE }}</style>
</head>
<body>
<header>
<h1>${title}</h1>
<p>${completed.length} of ${jobs.length} maps completed. Started ${sources.createdAt.slice(0, 10)}, service ${sources.baseUrl}.</p>
</header>
<h2>Totals</h2>
${totalsSection(facts)}
${maps(jobs, facts)}
<h2>Fields</h2>
${fieldTable(jobs)}
${failures(jobs)}
${modelSections(facts?.models ?? [])}
${methodSection(facts)}
${digests(sources)}
<footer>Written by soil-batch ${version} from the files of one run.</footer>
</body>
</html>
`;
  return page;
}

function totalsSection(facts: RunFacts | null): Html {
  if (facts === null)
    return html`<p>The folder has no totals: “soil-batch download” fetches them.</p>`;
  const { totals, totalsMissing } = facts;
  if (totals === null) return html`<p>${totalsMissing ?? ''}</p>`;
  const left = totals.left_out.map(
    ({ jobs, reason, error_code }) =>
      html`<li>${jobs} left out: ${error_code ?? reason.replaceAll('_', ' ')}</li>
`,
  );
  return html`<table class="totals">
<thead><tr><th>Model and data</th><th>Fields</th><th>Area</th><th>Mean</th><th>Standard error</th><th>Stock</th><th>Per hectare</th></tr></thead>
<tbody>${totals.totals.map(totalRow)}</tbody>
</table>
${left.length === 0 ? null : html`<ul>${left}</ul>`}`;
}

function totalRow(total: Total): Html {
  const { model, data_period, jobs, predicted_area_ha, unit, stock, level } = total;
  const substance = stock?.substance === undefined ? '' : ` ${stock.substance}`;
  const notes = [
    ...(level === null ? [] : [`Intervals of ${Math.round(level * 100)} %.`]),
    ...(total.interval_missing === null ? [] : [`No interval: ${total.interval_missing.message}`]),
    ...total.warnings.map(({ message }) => message),
  ];
  return html`<tr>
<td>${model}<br><small>data of ${data_period.join('–')}</small></td>
<td class="n">${jobs}</td>
<td class="n">${figure(predicted_area_ha)} ha</td>
<td class="n">${figure(total.mean)} ${unitText(unit)}${interval(total)}</td>
<td class="n">${total.standard_error === null ? '–' : html`${figure(total.standard_error)} ${unitText(unit)}`}</td>
<td class="n">${stock === null ? '–' : html`${figure(stock.value)} t${substance}${interval(stock)}`}</td>
<td class="n">${total.stock_per_ha === null ? '–' : html`${figure(total.stock_per_ha)} t/ha`}</td>
</tr>
${
  notes.length === 0
    ? null
    : html`<tr class="note"><td colspan="7">${notes.join(' ')}</td></tr>
`
}`;
}

/** One for each model, year and period of data. */
function maps(jobs: readonly ResultJob[], facts: RunFacts | null): readonly Html[] {
  const keys = [...new Set(jobs.flatMap((one) => mapOf(one) ?? []))];
  return keys.map((key) => {
    const shown = jobs.filter((one) => mapOf(one) === key || mapOf(one) === null);
    const unit = shown.find(({ job }) => job?.summary)?.job?.summary?.unit ?? '';
    const property = facts?.models.find(({ model }) => key.startsWith(`${model},`))?.property;
    const title = `${property ?? 'Mean'} of each field, ${key}`;
    const fields = shown.flatMap(({ field, name, job }) =>
      field.geometry === null
        ? []
        : [{ name, polygon: field.geometry, value: job?.summary?.mean ?? null }],
    );
    return html`<figure><figcaption>${title}</figcaption>${{ html: fieldsMap(fields, { unit, title }) }}</figure>
`;
  });
}

/** Null for a job without a result: it is on every map. */
function mapOf({ job, year }: ResultJob): string | null {
  if (job?.summary == null || job.model === null) return null;
  return `${job.model}, requested for ${year}, data of ${(job.data_period ?? []).join('–')}`;
}

function fieldTable(jobs: readonly ResultJob[]): Html {
  return html`<table class="fields">
<thead><tr><th>Field</th><th>Year</th><th>Area (ha)</th><th>Mean</th><th>Std. error</th><th>Stock (t)</th><th>t/ha</th><th>Cells: least – greatest (sd)</th><th>Notes</th></tr></thead>
<tbody>${jobs.map(fieldRow)}</tbody>
</table>`;
}

function fieldRow({ name, year, job }: ResultJob): Html {
  const summary = job?.summary ?? null;
  const notes =
    job === null ? 'not submitted' : (job.error_code ?? warningsOf(job.warnings) ?? job.status);
  if (summary === null) {
    return html`<tr><td>${name}</td><td class="n">${year}</td><td colspan="6" class="none">no result</td><td>${notes}</td></tr>
`;
  }
  const { stock, standard_error, stock_per_ha, cell_min, cell_max, cell_sd } = summary;
  return html`<tr><td>${name}</td><td class="n">${year}</td><td class="n">${figure(summary.predicted_area_ha)}</td><td class="n">${figure(summary.mean)} ${unitText(summary.unit)}${interval(summary)}</td><td class="n">${figure(standard_error)}</td><td class="n">${figure(stock?.value)}${stock === null ? null : interval(stock)}</td><td class="n">${figure(stock_per_ha)}</td><td class="n">${figure(cell_min)} – ${figure(cell_max)} (${figure(cell_sd)})</td><td>${notes}</td></tr>
`;
}

/** `static_model` says nothing of one field. */
function warningsOf(warnings: readonly { readonly code: string }[]): string | null {
  const codes = warnings.map(({ code }) => code).filter((code) => code !== 'static_model');
  return codes.length === 0 ? '' : codes.join(', ').replaceAll('_', ' ');
}

function failures(jobs: readonly ResultJob[]): Html | null {
  const failed = jobs.filter(({ job }) => job?.error_message != null);
  if (failed.length === 0) return null;
  return html`<h2>Failed</h2>
<ul>${failed.map(
    ({ name, year, job }) => html`<li><b>${name}</b> (${year}): ${job?.error_message ?? ''}</li>
`,
  )}</ul>`;
}

function digests({ jobs, rasterDigests, inputDigest, facts }: ReportSources): Html {
  const rows = [
    { what: 'Fields as read', digest: inputDigest },
    ...(facts?.models ?? []).map(({ model, model_sha256 }) => ({
      what: `Files of ${model}`,
      digest: model_sha256 ?? 'not recorded',
    })),
    ...jobs.flatMap(({ file }) =>
      file === null ? [] : [{ what: file, digest: rasterDigests.get(file) ?? '' }],
    ),
  ];
  return html`<h2>Digests</h2>
<p>SHA-256 of what the figures were made from. Each raster also names the polygon and every file of the model by
its digest, and “npm run verify” predicts its cells again.</p>
<table class="digests"><tbody>${rows.map(
    ({ what, digest }) => html`<tr><td>${what}</td><td><code>${digest}</code></td></tr>
`,
  )}</tbody></table>`;
}
