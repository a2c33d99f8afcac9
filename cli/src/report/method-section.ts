import { type Html, html } from 'soil-batch-client';
import type { StoredFacts } from '../results/run-facts.ts';

/** How the figures are computed, and what their intervals do not contain. */
export function methodSection({ totals }: StoredFacts): Html {
  const found = totals?.totals?.totals.find((total) => total.method !== null);
  const method = found?.method ?? null;
  return html`<h2>Method</h2>
<p>A field’s area is the ground area of its polygon on the WGS 84 ellipsoid. Its area with values is this area × the
share of its cells that have a value, each cell weighted by the ground area of its part inside the field. Where cells have
no value nothing is extrapolated: the mean is that of the cells with values, weighted likewise, and the stock is the
mean × the layer’s thickness × the area with values. Fields that overlap count twice.</p>
${
  method === null
    ? null
    : html`<p>Intervals (method ${method}): errors of near cells are alike, as the model’s correlation says, and part of
the error is the same in all cells. The variance of a mean is the sum over all pairs of cells. A total sums over the
pairs of all fields, as if they were one polygon: neither the bounds nor the variances of fields add up to it. The
standard error is half the interval’s width, before it is cut at 0, divided by the normal quantile; that of a stock is
that of the mean × thickness × area.</p>`
}
<p>No interval here contains errors of the field’s outline, of sampling and laboratory beyond what the model’s
accuracy shows, a comparison at equal soil mass instead of equal depth, or a change between years: the difference of
two maps is not a measured change.</p>
<p>Stocks of carbon are tonnes of carbon. CO₂ equivalents would be 44/12 of them, by molar mass. Whether carbon in the
soil is CO₂ not emitted depends on a baseline, on permanence and on leakage: this report makes no such claim.</p>`;
}
