import { type Html, html, unitText } from 'soil-batch-client';
import type { StoredFacts } from '../results/run-facts.ts';
import { decimalsOf, estimateText, figure } from './numbers.ts';

type Total = NonNullable<NonNullable<StoredFacts['totals']>['totals']>['totals'][number];

/** All fields of one model and period of data together. */
export function totalsSection({ totals: stored }: StoredFacts): Html {
  if (stored === null)
    return html`<p>The folder has no totals as downloaded: “soil-batch download” fetches them.</p>`;
  const { totals, totals_missing: missing } = stored;
  if (totals === null) return html`<p>${missing ?? ''}</p>`;
  return html`${totals.totals.map(totalTable)}`;
}

function totalTable(total: Total): Html {
  const { property, depth_cm, model, data_period, temporal, jobs, unit, stock, level } = total;
  const layer = depth_cm === null ? '' : `, ${depth_cm.join('–')} cm`;
  const substance = stock?.substance ? ` of ${stock.substance}` : '';
  const interval =
    level === null ? '' : `, ${Math.round(level * 100)} % interval, ± standard error`;
  const areas = decimalsOf([total.predicted_area_ha]);
  const means = decimalsOf([total.mean]);
  const tonnes = decimalsOf([stock?.value]);
  const notes = [
    ...(total.interval_missing === null ? [] : [`No interval: ${total.interval_missing.message}`]),
    ...warningNotes(total),
    ...total.warnings.map(({ message }) => message),
  ];
  return html`<table class="totals">
<caption>${property ?? model}${layer}: ${model}, requested for ${total.years.join(', ')}, ${temporal === 'static' ? 'static map, ' : ''}data of ${data_period.join('–')}</caption>
<tbody>
<tr><th>Fields with a result</th><td class="n">${jobs}</td></tr>
<tr><th>Their area</th><td class="n">${figure(total.area_ha, areas)} ha</td></tr>
<tr><th>of this with values</th><td class="n">${figure(total.predicted_area_ha, areas)} ha</td></tr>
<tr><th>without values, in no figure below</th><td class="n">${figure(total.unpredicted_area_ha, areas)} ha</td></tr>
<tr><th>Mean of the area with values${interval}</th><td class="n">${estimateText(
    { ...total, value: total.mean, standardError: total.standard_error },
    means,
    unitText(unit),
  )}</td></tr>
${
  stock === null
    ? null
    : html`<tr><th>Stock${substance}${interval}</th><td class="n">${estimateText(
        { ...stock, standardError: total.stock_standard_error },
        tonnes,
        't',
      )}</td></tr>
<tr><th>Stock${substance} per hectare with values</th><td class="n">${figure(total.stock_per_ha, decimalsOf([total.stock_per_ha]))} t/ha</td></tr>`
}
</tbody>
${notes.length === 0 ? null : html`<tfoot>${notes.map((note) => html`<tr><td colspan="2">${note}</td></tr>`)}</tfoot>`}
</table>`;
}

/** What warnings say, without the numbers of each field, which are in its row. */
const WARNINGS: Readonly<Record<Total['job_warnings'][number]['code'], string>> = {
  static_model: 'The map is static: the requested year makes no difference',
  smaller_than_cell: 'Smaller than a cell: the figures are of the cells that it touches',
  partly_outside_coverage: 'Partly outside the coverage of the model',
  partly_outside_grid: 'Partly outside the raster of the model',
  cells_without_data: 'Some cells have no value',
  properties_dropped: 'Properties too large to be kept',
  interval_unavailable: 'No interval',
  impossible_values: 'Some cells have a value that the property cannot have',
  means_outside_bounds:
    'Some cells have a mean outside their own bounds: the interval is too narrow',
  outside_training:
    'In some cells the model extrapolates beyond its training: errors may be larger than the bounds',
};

function warningNotes({ job_warnings, area_ha }: Total): readonly string[] {
  return job_warnings.map(
    ({ code, jobs, area_ha: area }) =>
      `${WARNINGS[code]}: ${jobs} ${jobs === 1 ? 'field' : 'fields'} with ${figure((100 * area) / area_ha, 0)} % of the area.`,
  );
}

interface MeanAndStock {
  readonly mean: number;
  readonly standard_error: number | null;
  readonly stock: { readonly value: number } | null;
}

/** A stock is the mean × thickness × area, and so is its error. */
export function stockError({ mean, standard_error, stock }: MeanAndStock): number | null {
  if (stock === null || standard_error === null || mean === 0) return null;
  return standard_error * Math.abs(stock.value / mean);
}
