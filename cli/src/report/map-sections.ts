import {
  fieldsMap,
  type Html,
  html,
  type Job,
  type ModelDescription,
  unitText,
} from 'soil-batch-client';
import type { ResultJob } from '../results/result-columns.ts';
import type { StoredFacts } from '../results/run-facts.ts';
import { decimalsOf, estimateText, figure } from './numbers.ts';
import { stockError } from './totals-section.ts';

type Summary = NonNullable<Job['summary']>;

interface Predicted {
  readonly one: ResultJob;
  readonly job: Job;
  readonly summary: Summary;
}

/** Fields of one model, requested year and period of data. */
interface MapGroup {
  readonly model: string;
  readonly year: number;
  readonly period: string;
  readonly fields: readonly Predicted[];
}

/** A map and a table for each model, requested year and period of data. */
export function mapSections(
  jobs: readonly ResultJob[],
  models: StoredFacts['models'],
): readonly Html[] {
  const without = jobs.filter(({ job }) => job?.summary == null);
  return groupsOf(jobs).map((group) => {
    const described = models?.find(({ model }) => model === group.model);
    const title = titleOf(group, described);
    const unit = group.fields[0]?.summary.unit ?? '';
    const drawn = [...group.fields.map(({ one }) => one), ...without];
    const fields = drawn.flatMap(({ field, name, year, job }) =>
      field.geometry === null || year !== group.year
        ? []
        : [{ name, polygon: field.geometry, value: job?.summary?.mean ?? null }],
    );
    return html`<h2>${title}</h2>
${staticNotes(group).map((note) => html`<p>${note}</p>`)}
<figure>${{ html: fieldsMap(fields, { unit, title }) }}<figcaption>Mean of each field, ${unitText(unit)}</figcaption></figure>
${fieldTable(group, title)}`;
  });
}

function groupsOf(jobs: readonly ResultJob[]): readonly MapGroup[] {
  const groups = new Map<string, MapGroup & { fields: Predicted[] }>();
  for (const one of jobs) {
    const { job, year } = one;
    if (job?.summary == null || job.model === null) continue;
    const period = (job.data_period ?? []).join('–');
    const key = `${job.model} ${year} ${period}`;
    const group = groups.get(key) ?? { model: job.model, year, period, fields: [] };
    group.fields.push({ one, job, summary: job.summary });
    groups.set(key, group);
  }
  return [...groups.values()];
}

function titleOf(
  { model, year, period }: MapGroup,
  described: ModelDescription | undefined,
): string {
  const depth = described?.depth_cm;
  const layer = depth == null ? '' : `, ${depth.join('–')} cm`;
  return `${described?.property ?? 'Mean'}${layer}: ${model}, requested for ${year}, data of ${period}`;
}

/** Every field of a static map has the same: it says what the requested year means. */
function staticNotes({ fields }: MapGroup): readonly string[] {
  return [
    ...new Set(fields.flatMap(({ job }) => warningsOf(job, (code) => code === 'static_model'))),
  ];
}

function warningsOf({ warnings }: Job, wanted: (code: string) => boolean): readonly string[] {
  return warnings.filter(({ code }) => wanted(code)).map(({ message }) => message);
}

/** Digits after the point in each column. */
interface Decimals {
  readonly areas: number;
  readonly means: number;
  readonly stocks: number;
  readonly perHectare: number;
}

const COLUMNS = 7;

function fieldTable({ fields }: MapGroup, title: string): Html {
  const summaries = fields.map(({ summary }) => summary);
  const decimals: Decimals = {
    areas: decimalsOf(summaries.map(({ area_ha }) => area_ha)),
    means: decimalsOf(summaries.map(({ mean }) => mean)),
    stocks: decimalsOf(summaries.map(({ stock }) => stock?.value)),
    perHectare: decimalsOf(summaries.map(({ stock_per_ha }) => stock_per_ha)),
  };
  const unit = unitText(summaries[0]?.unit ?? '');
  const level = summaries.find((summary) => summary.level !== null)?.level ?? null;
  const substance = summaries.find(({ stock }) => stock !== null)?.stock?.substance ?? null;
  const interval =
    level === null
      ? null
      : html`<br><small>${Math.round(level * 100)} % interval<br>± standard error</small>`;
  const of = substance === null ? '' : ` of ${substance}`;
  return html`<table class="fields">
<thead><tr><th colspan="${COLUMNS}">${title}</th></tr>
<tr><th>Field</th><th>Area, ha</th><th>with values, ha</th><th>Mean, ${unit}${interval}</th><th>Stock${of}, t${interval}</th><th>Stock, t/ha</th><th>Cells, ${unit}<br><small>least to greatest<br>standard deviation</small></th></tr></thead>
<tbody>${fields.map((field) => fieldRows(field, decimals))}</tbody>
<tfoot>${sumRow(summaries, decimals)}</tfoot>
</table>`;
}

function fieldRows({ one, job, summary }: Predicted, decimals: Decimals): Html {
  const { stock, stock_per_ha, cell_min, cell_max, cell_sd, standard_error } = summary;
  const { areas, means, stocks, perHectare } = decimals;
  const notes = warningsOf(job, (code) => code !== 'static_model');
  const mean = { ...summary, value: summary.mean, standardError: standard_error };
  return html`<tr><th scope="row">${one.name}</th><td class="n">${figure(summary.area_ha, areas)}</td><td class="n">${figure(summary.predicted_area_ha, areas)}</td><td class="n">${estimateText(mean, means)}</td><td class="n">${
    stock === null ? '–' : estimateText({ ...stock, standardError: stockError(summary) }, stocks)
  }</td><td class="n">${figure(stock_per_ha, perHectare)}</td><td class="n">${figure(cell_min, means)} to ${figure(cell_max, means)}<br><small>${figure(cell_sd, means)}</small></td></tr>
${
  notes.length === 0
    ? null
    : html`<tr class="note"><td colspan="${COLUMNS}">${notes.join(' ')}</td></tr>
`
}`;
}

function sumRow(summaries: readonly Summary[], { areas, stocks }: Decimals): Html {
  const sum = (numberOf: (summary: Summary) => number) =>
    summaries.reduce((total, summary) => total + numberOf(summary), 0);
  const stock = summaries.some((one) => one.stock === null)
    ? null
    : sum((one) => one.stock?.value ?? 0);
  return html`<tr><th scope="row">Sum of ${summaries.length}</th><td class="n">${figure(
    sum(({ area_ha }) => area_ha),
    areas,
  )}</td><td class="n">${figure(
    sum(({ predicted_area_ha }) => predicted_area_ha),
    areas,
  )}</td><td></td><td class="n">${figure(stock, stocks)}</td><td colspan="2"><small>intervals and errors do not add up: see Totals</small></td></tr>`;
}
