import { printable } from '../operator/command.ts';
import type { Check } from './checks.ts';
import type { CellComparison, Difference } from './compare-cells.ts';
import type { Verification } from './verify.ts';

/** More are in the JSON. */
const DIFFERENCES_SHOWN = 20;

/** Lines for a person; the last one is the result. Texts of an Item or a raster can add none. */
export function reportOf(verification: Verification): string {
  const { model, jobId, checks, cells, bands, seed, version, verified } = verification;
  return [
    `${model}, job ${jobId}`,
    ...checks.map(checkLine),
    versionLine(version),
    ...(cells === null ? ['no cell was compared'] : cellLines(cells, bands, seed)),
    verified ? 'verified' : 'NOT VERIFIED: it differs as above',
  ]
    .map(printable)
    .join('\n');
}

const STATES = { same: 'same', changed: 'CHANGED', not_compared: 'not compared' } as const;

function checkLine({ what, state, detail }: Check): string {
  return `  ${STATES[state].padEnd(12)}  ${what}${detail === null ? '' : `: ${detail}`}`;
}

function versionLine({ predicted, here }: Verification['version']): string {
  if (predicted === here) return `  ${STATES.same.padEnd(12)}  version of the service: ${here}`;
  return `  ${'other'.padEnd(12)}  version of the service: ${predicted ?? 'unknown'} predicted the result, ${here} compares`;
}

function* cellLines(
  cells: CellComparison,
  bands: readonly string[],
  seed: number,
): Generator<string> {
  const { differences } = cells;
  const count = (where: Difference['where']) =>
    differences.filter((difference) => difference.where === where).length;
  yield `cells of the polygon: ${cells.comparedInside} of ${cells.inside} predicted again, ${count('inside')} differ`;
  yield `cells outside the polygon: ${cells.comparedOutside} of ${cells.outside} compared, ${count('outside')} are not nodata`;
  for (const difference of differences.slice(0, DIFFERENCES_SHOWN)) {
    yield `  ${differenceText(difference, bands)}`;
  }
  const more = differences.length - DIFFERENCES_SHOWN;
  if (more > 0) yield `  … and ${more} more (--json lists all)`;
  yield `seed: ${seed}`;
}

/** Numbers as stored. */
function differenceText(difference: Difference, bands: readonly string[]): string {
  const { column, row, lon, lat, expected, found } = difference;
  const differing = bands.flatMap((name, band) =>
    Object.is(expected[band], found[band])
      ? []
      : [`${name} ${String(found[band])} instead of ${String(expected[band])}`],
  );
  return `column ${column}, row ${row} (lon ${lon.toFixed(6)}, lat ${lat.toFixed(6)}): ${differing.join(', ')}`;
}

export function jsonOf({ jobId, cells, ...verification }: Verification) {
  return {
    verified: verification.verified,
    job_id: jobId,
    model: verification.model,
    version: verification.version,
    checks: verification.checks,
    cells:
      cells === null
        ? null
        : {
            inside: cells.inside,
            compared_inside: cells.comparedInside,
            outside: cells.outside,
            compared_outside: cells.comparedOutside,
            differences: cells.differences,
          },
    bands: verification.bands,
    seed: verification.seed,
  };
}
