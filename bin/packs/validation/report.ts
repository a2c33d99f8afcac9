import { figure } from '../sample-table.ts';
import type { Accuracy } from './accuracy.ts';
import type { Estimate } from './resampling.ts';
import type { Share } from './share.ts';
import type { Part, Validation } from './validate.ts';

/** The figures as text, a line each. */
export function* reportLines(validation: Validation): Generator<string> {
  const { model, unit, samples, accuracy, coverage, thirds, groups, group_means } = validation;
  const { n, r2, rmse, bias, slope } = accuracy;
  yield `${model}: ${n} samples (${samples.outside_grid} outside the grid, ${samples.without_covariates} without all covariates)`;
  yield `R² ${estimate(r2)}, ${momentsText({ rmse, bias, slope }, unit)}`;
  for (const { lower, upper, claimed, levels, inside, below, above, insideByGroups } of coverage) {
    yield `${lower} to ${upper}, claimed ${claimed}: inside ${shareText(inside)}${insideByGroups === null ? '' : `; over groups ${estimate(insideByGroups)}`}`;
    yield `  below ${lower}, claimed ${levels[0]}: ${shareText(below)}; above ${upper}, claimed ${rest(levels[1])}: ${shareText(above)}`;
  }
  if (group_means !== null) {
    yield `means of groups, claimed ${group_means.claimed}: inside ${shareText(group_means.inside)}`;
  }
  yield* partLines('by thirds of the prediction', unit, thirds);
  if (groups.length > 0) yield* partLines('by group', unit, groups);
}

function* partLines(title: string, unit: string, parts: readonly Part[]): Generator<string> {
  yield `${title}:`;
  for (const { name, accuracy, inside } of parts) {
    const { n, rmse, bias, slope } = accuracy;
    yield `  ${name}: n ${n}, ${momentsText({ rmse, bias, slope }, unit)}${inside === null ? '' : `, inside ${shareText(inside)}`}`;
  }
}

function momentsText(
  { rmse, bias, slope }: Pick<Accuracy, 'rmse' | 'bias' | 'slope'>,
  unit: string,
): string {
  const quantity = (value: number): string => `${figure(value)}${unit === '1' ? '' : ` ${unit}`}`;
  // One prediction everywhere has no slope.
  const steepness = Number.isNaN(slope) ? '–' : figure(slope);
  return `RMSE ${quantity(rmse)}, bias ${quantity(bias)}, slope ${steepness}`;
}

const rest = (level: number): number => Number((1 - level).toPrecision(12));

function estimate({ value, lower, upper }: Estimate): string {
  return `${value.toFixed(3)} (${lower.toFixed(3)} to ${upper.toFixed(3)})`;
}

export function shareText({ n, ...interval }: Share): string {
  return `${estimate(interval)} of ${n}`;
}
