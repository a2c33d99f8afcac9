import { CovariateUnavailable } from '#engine/model/covariates/covariate-raster.ts';
import { PackFileUnavailable } from '#engine/model/pack/pack-files.ts';
import { serviceVersion } from '../lib/build/service-version.ts';
import { CommandError, print, runCommand } from './operator/command.ts';
import { mapOfYear, yearOf } from './packs/map-of-year.ts';
import { apiOf, type ItemApi } from './verify/api.ts';
import { HELP, readArguments, type VerifyCommand } from './verify/arguments.ts';
import { findPack } from './verify/find-pack.ts';
import { readItem } from './verify/item.ts';
import { jsonOf, reportOf } from './verify/report.ts';
import { openStoredRaster } from './verify/stored-raster.ts';
import { type Verification, verify } from './verify/verify.ts';

/** `npm run verify -- https://…/v1/batch/{batch_id}/jobs/{job_id}/item` */
async function main(): Promise<void> {
  const command = readArguments(process.argv.slice(2));
  if (command === null) return console.log(HELP);
  const api = apiOf(command.item, process.env['API_KEY']);
  const verification = await verified(command, api);
  print({ data: jsonOf(verification), text: reportOf(verification) }, command.json);
  if (!verification.verified) process.exitCode = 1;
}

async function verified(command: VerifyCommand, api: ItemApi | null): Promise<Verification> {
  const item = await readItem(command.item, api);
  const pack = await findPack(item.model, command.pack);
  const raster = await openStoredRaster(await rasterOf(command, api));
  const requested = yearOf(raster.tags['REQUESTED_YEAR']);
  try {
    return await verify(
      item,
      raster,
      mapOfYear(pack, command.year ?? requested),
      command,
      serviceVersion(),
    );
  } catch (error) {
    if (error instanceof PackFileUnavailable || error instanceof CovariateUnavailable) {
      throw new CommandError(`the model pack cannot be read: ${error.message}`);
    }
    throw error;
  }
}

async function rasterOf({ raster }: VerifyCommand, api: ItemApi | null) {
  if (raster !== null) return { file: raster };
  if (api !== null) return { url: await api.rasterUrl() };
  // Whoever wrote the file could choose where the key goes.
  throw new CommandError('an Item in a file needs --raster: an API key is not sent to its links');
}

await runCommand('verify', main, 2);
