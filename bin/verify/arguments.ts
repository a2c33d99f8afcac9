import { randomInt } from 'node:crypto';
import { parseOptions } from '../operator/arguments.ts';
import { CommandError } from '../operator/command.ts';
import { yearOf } from '../packs/map-of-year.ts';
import type { Sampling } from './pick.ts';

export interface VerifyCommand extends Sampling {
  /** URL or file of the Item. */
  readonly item: string;
  /** Null: looked up in `models`. */
  readonly pack: string | null;
  /** Null: read from the API. */
  readonly raster: string | null;
  /** Null: the year that the raster names. */
  readonly year: number | null;
  readonly json: boolean;
}

const DEFAULT_CELLS = 100;
const SEEDS = 2 ** 32;

export const HELP = `Usage: npm run --silent verify -- <URL of an Item> [options]

Checks a result: compares the model pack, the polygon and the version of the service with those of the
prediction, predicts random cells of the polygon again, and compares them with the raster bit by bit.
Also checks that as many cells outside the polygon are nodata. The Item is at
…/v1/batch/{batch_id}/jobs/{job_id}/item, or in a file. The API key is read from API_KEY.

Options
  --cells N|all     cells to compare inside the polygon, and outside (default: ${DEFAULT_CELLS})
  --seed N          a whole number that determines which cells (default: random, printed)
  --pack FOLDER     the model pack (default: the folder in models/ with the Item's model)
  --raster FILE     a downloaded raster (default: read from the API; required with an Item in a file)
  --year YEAR       the year whose covariates to read (default: the requested one, as the raster names it)
  --json            print JSON
  --help            print this

Exit code 0: verified; 1: something differs; 2: cannot be verified, or the command line is invalid.`;

/** @returns null for `--help` @throws CommandError */
export function readArguments(args: readonly string[]): VerifyCommand | null {
  const text = { type: 'string' } as const;
  const flag = { type: 'boolean' } as const;
  const { values, positionals } = parseOptions({
    args: [...args],
    allowPositionals: true,
    options: {
      cells: text,
      seed: text,
      pack: text,
      raster: text,
      year: text,
      json: flag,
      help: { ...flag, short: 'h' },
    },
  });
  if (values.help === true) return null;
  const [item, ...others] = positionals;
  if (item === undefined || others.length > 0) {
    throw new CommandError('expected exactly one argument: the URL or the file of an Item');
  }
  return {
    item,
    cells: cellsOf(values.cells),
    seed: seedOf(values.seed),
    pack: values.pack ?? null,
    raster: values.raster ?? null,
    year: yearOf(values.year),
    json: values.json === true,
  };
}

function cellsOf(text = String(DEFAULT_CELLS)): number | 'all' {
  if (text === 'all') return text;
  const cells = Number(text);
  if (Number.isSafeInteger(cells) && cells >= 1) return cells;
  throw new CommandError(`--cells must be a whole number from 1, or "all"; got ${text}`);
}

function seedOf(text: string | undefined): number {
  if (text === undefined) return randomInt(SEEDS);
  const seed = text === '' ? Number.NaN : Number(text);
  if (Number.isInteger(seed) && seed >= 0 && seed < SEEDS) return seed;
  throw new CommandError(`--seed must be a whole number from 0 to ${SEEDS - 1}; got ${text}`);
}
