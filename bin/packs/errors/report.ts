import { figure } from '../sample-table.ts';
import { shareText } from '../validation/report.ts';
import type { CorrelationFigures, ErrorEstimate } from './estimate.ts';

/** The figures as text, a line each. */
export function* errorLines(estimate: ErrorEstimate): Generator<string> {
  const { samples, without_width, standardised_errors, pairs, max_m, lags } = estimate;
  yield `${samples} samples${without_width === 0 ? '' : ` (${without_width} have no half-width on the side of their error)`}`;
  yield `errors ÷ the standard deviation that the bounds claim: mean ${figure(standardised_errors.mean)} (0 if they are right), sd ${figure(standardised_errors.sd)} (1 if they are right)`;
  yield `${pairs} pairs under ${figure(max_m)} m that were withheld together:`;
  for (const lag of lags) {
    yield `  ${figure(lag.from_m)} to ${figure(lag.to_m)} m: ${lag.pairs} pairs, correlation ${lag.correlation === null ? '–' : figure(lag.correlation)}`;
  }
  yield `fit: ${correlation(estimate.fit)}`;
  yield `declared, at one-sided 80 % bounds: ${correlation(estimate.declared)}`;
  if (estimate.group_means === null) return;
  const { inside, left_out } = estimate.group_means;
  yield `means of groups in their declared interval: ${shareText(inside)}${left_out === 0 ? '' : ` (${left_out} groups were not withheld whole, or have one sample)`}`;
}

/** Of the standardised errors, in which the declared bounds are about right. */
const RIGHT_SPREAD = { least: 0.8, most: 1.25 };

/** What makes the block doubtful, although it can be estimated. */
export function errorWarnings({ standardised_errors: { sd } }: ErrorEstimate): readonly string[] {
  const { least, most } = RIGHT_SPREAD;
  if (sd >= least && sd <= most) return [];
  const hint =
    sd < least
      ? 'they are too wide, or the model was trained on these samples'
      : 'they are too narrow for samples that the model did not see';
  return [
    `errors ÷ the standard deviation that the bounds claim have an sd of ${figure(sd)}; right bounds have 1 (${least} to ${most}): ${hint}`,
  ];
}

function correlation({ nugget, range_m, integral_ha }: CorrelationFigures): string {
  return `nugget ${nugget.toFixed(2)}, range ${figure(range_m)} m, integral ${figure(integral_ha)} ha`;
}
