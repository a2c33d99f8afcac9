import { cellSizeText, type Html, html, unitText } from 'soil-batch-client';
import type { ModelFacts, StoredFacts } from '../results/run-facts.ts';

/** What each model predicts, how well, and from what. */
export function modelSections(models: StoredFacts['models']): readonly Html[] {
  if (models !== null) return models.map(modelSection);
  return [
    html`<h2>Models</h2><p>The folder has no models.json as downloaded: “soil-batch download” fetches it.</p>`,
  ];
}

function modelSection({ published, ...model }: ModelFacts): Html {
  const facts: readonly (readonly [string, string | null])[] = [
    ['Property', model.property],
    ['Model', model.model],
    ['Unit', model.unit === null ? null : unitText(model.unit)],
    ['Layer', model.depth_cm === null ? null : `${model.depth_cm.join('–')} cm`],
    ['Stock of', model.substance],
    ['One value stands for', model.sample_support],
    ['Data of', published === null ? null : published.data_period.join('–')],
    [
      'Grid',
      published === null ? null : `${cellSizeText(published.grid)} in ${published.grid.crs}`,
    ],
    ['Errors', published === null ? null : errorText(published.error)],
  ];
  return html`<h2>${published?.title ?? model.model}</h2>
<dl>${facts.map(([name, text]) => (text === null ? null : html`<dt>${name}</dt><dd>${text}</dd>`))}</dl>
${published === null ? html`<p>The service no longer has ${model.model}.</p>` : details(published)}`;
}

type Published = NonNullable<ModelFacts['published']>;

function errorText(error: Published['error']): string {
  if (error === null) return 'not declared';
  const { lower, upper, correlation, systematic_relative_sd: shared, how } = error;
  const correlated =
    correlation === null
      ? 'no correlation declared, so no interval of an area'
      : `correlation (1 − ${correlation.nugget}) e^(−h ÷ ${correlation.range_m} m)`;
  return `bounds of a cell ${lower} to ${upper}; ${correlated}; shared by all cells: ${(100 * shared).toFixed(1)} % of the value (${how})`;
}

function details({ accuracy, licenses }: Published): Html {
  return html`<table class="accuracy">
<thead><tr><th>Measured accuracy</th><th>Value</th><th>How</th></tr></thead>
<tbody>${accuracy.map(
    ({ metric, value, how }) =>
      html`<tr><td>${unitText(metric)}</td><td class="n">${value}</td><td>${how}</td></tr>
`,
  )}</tbody></table>
<ul class="sources">${licenses.map(
    ({ part, license, citation }) => html`<li>${part}: ${citation} (${license})</li>
`,
  )}</ul>`;
}
