import { CovariateUnavailable } from '#engine/model/covariates/covariate-raster.ts';
import { PackFileUnavailable } from '#engine/model/pack/pack-files.ts';
import { computeServiceVersion } from '../lib/build/service-version.ts';
import { CommandError, escapeControls, print, runCommand } from './operator/command.ts';
import { parseOptions } from './operator/command-line.ts';
import { chooseMap } from './packs/map-of-year.ts';
import { findPack } from './verify/find-pack.ts';
import { readResult } from './verify/result.ts';
import { openStoredRaster } from './verify/stored-raster.ts';
import { type Verification, verifyResult } from './verify/verify.ts';

const HELP = `Usage: npm run --silent verify -- <URL of an Item> [options]

Verifies a result: predicts a job's raster again from its model pack and compares every cell and band
bit by bit. Also compares the files of the pack with those of the prediction. The Item is at
…/v1/batch/{batch_id}/jobs/{job_id}/item. The API key is read from API_KEY.

Options
  --pack FOLDER     the model pack (default: the folder in models/ with the Item's model)
  --json            print JSON
  --help            print this

Exit code 0: verified; 1: something differs; 2: cannot be verified, or the command line is invalid.`;

async function main(): Promise<void> {
  const { values, positionals } = parseOptions({
    allowPositionals: true,
    options: {
      pack: { type: 'string' },
      json: { type: 'boolean' },
      help: { type: 'boolean', short: 'h' },
    },
  });
  if (values.help === true) return console.log(HELP);
  const [item, ...others] = positionals;
  if (item === undefined || others.length > 0) {
    throw new CommandError('expected exactly one argument: the URL of an Item');
  }
  const verification = await verifyItem(item, values.pack ?? null);
  print({ data: verification, text: formatVerification(verification) }, values.json === true);
  if (!verification.verified) process.exitCode = 1;
}

async function verifyItem(itemUrl: string, folder: string | null): Promise<Verification> {
  const result = await readResult(itemUrl, process.env['API_KEY'] ?? '');
  const pack = await findPack(result.model, folder);
  const raster = await openStoredRaster({ url: result.rasterUrl });
  try {
    const map = chooseMap(pack, parseRequestedYear(raster.tags['REQUESTED_YEAR']));
    return await verifyResult(result, raster, map, computeServiceVersion());
  } catch (error) {
    if (error instanceof PackFileUnavailable || error instanceof CovariateUnavailable) {
      throw new CommandError(`the model pack cannot be read: ${error.message}`);
    }
    throw error;
  }
}

/** Parses the year of a raster's tag, which every result has. @throws CommandError */
function parseRequestedYear(tag: string | undefined): number {
  if (tag !== undefined && /^\d{4}$/.test(tag)) return Number(tag);
  throw new CommandError(
    `the raster's tag REQUESTED_YEAR must be a year such as 2020; got ${tag ?? 'no such tag'}`,
  );
}

/** Texts from an Item or a raster are escaped, so that they cannot add lines. */
function formatVerification({
  model,
  job_id,
  version,
  changed,
  cells,
  verified,
}: Verification): string {
  return [
    `${model}, job ${job_id}`,
    `predicted by service version ${version.predicted ?? 'unknown'}, verified by ${version.here}`,
    ...changed.map((what) => `CHANGED: ${what}`),
    ...(cells === null
      ? ['no cell was compared']
      : [
          `cells predicted again: ${cells.compared}, of which in the polygon: ${cells.inside}; cells that differ: ${cells.differing}`,
          ...cells.first.map(
            ({ column, row, expected, found }) =>
              `  column ${column}, row ${row}: ${found.join(', ')} instead of ${expected.join(', ')}`,
          ),
        ]),
    verified ? 'verified' : 'NOT VERIFIED because of the differences above',
  ]
    .map(escapeControls)
    .join('\n');
}

await runCommand('verify', main, 2);
