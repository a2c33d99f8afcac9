import { type Html, html } from 'soil-batch-client';
import { fieldHectares } from '../fields/rules/field-area.ts';
import type { ResultJob } from '../results/result-columns.ts';
import { decimalsOf, figure } from './numbers.ts';

/** Where the hectares of all fields went, for each requested year, and why fields have no result. */
export function areaSection(jobs: readonly ResultJob[]): Html {
  const years = [...new Set(jobs.map(({ year }) => year))];
  const decimals = decimalsOf(jobs.map(hectaresOf));
  return html`<h2>Areas</h2>
<table class="areas">
<thead><tr><th>Requested year</th><th>Fields</th><th>Area, ha</th><th>with values, ha</th><th>without values, ha</th><th>of fields without a result, ha</th></tr></thead>
<tbody>${years.map((year) => {
    const ofYear = jobs.filter((one) => one.year === year);
    return areaRow(year, ofYear, decimals);
  })}</tbody>
</table>
${withoutResult(jobs, decimals)}`;
}

function areaRow(year: number, jobs: readonly ResultJob[], decimals: number): Html {
  const sum = (numberOf: (one: ResultJob) => number | null | undefined) =>
    jobs.reduce((total, one) => total + (numberOf(one) ?? 0), 0);
  const all = sum(hectaresOf);
  const predicted = sum(({ job }) => job?.summary?.predicted_area_ha);
  const withResult = sum(({ job }) => job?.summary?.area_ha);
  const cells = [all, predicted, withResult - predicted, all - withResult];
  const unknown = jobs.filter((one) => hectaresOf(one) === null).length;
  const note = unknown === 0 ? null : html`<br><small>and ${unknown} of unknown area</small>`;
  return html`<tr><td class="n">${year}</td><td class="n">${jobs.length}</td>${cells.map(
    (value, column) =>
      html`<td class="n">${figure(value, decimals)}${column === cells.length - 1 ? note : null}</td>`,
  )}</tr>
`;
}

function withoutResult(jobs: readonly ResultJob[], decimals: number): Html | null {
  const without = jobs.filter(({ job }) => job?.summary == null);
  if (without.length === 0) return null;
  return html`<h2>Fields without a result</h2>
<table class="failed">
<thead><tr><th>Field</th><th>Year</th><th>Area, ha</th><th>Why</th></tr></thead>
<tbody>${without.map(
    (one) =>
      html`<tr><th scope="row">${one.name}</th><td class="n">${one.year}</td><td class="n">${figure(hectaresOf(one), decimals)}</td><td>${reasonOf(one)}</td></tr>
`,
  )}</tbody>
</table>`;
}

function reasonOf({ job }: ResultJob): string {
  if (job === null) return 'Not known: not submitted, or its list of jobs was changed.';
  if (job.status === 'completed') return 'The model predicts no mean.';
  return job.error_message ?? `Not finished: ${job.status}.`;
}

/** Outlines that enclose no area, or none that is certain. */
const BROKEN_OUTLINE = /^(geometry_|coordinates_|crs_|ring_)/;

/** Null if the outline is broken. */
function hectaresOf({ job, field }: ResultJob): number | null {
  if (job?.summary != null) return job.summary.area_ha;
  if (field.geometry === null || BROKEN_OUTLINE.test(job?.error_code ?? '')) return null;
  return fieldHectares(field.geometry);
}
