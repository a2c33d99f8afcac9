import { join } from 'node:path';
import { createPackCatalogue, type PackCatalogue } from '#engine/model/pack/catalogue.ts';
import { loadDeployedPack, type Pack } from '#engine/model/pack/pack.ts';
import {
  type PackFiles,
  type RemoteSources,
  withRemoteSources,
} from '#engine/model/pack/pack-files.ts';
import { openPackFolder } from '#engine/model/pack/pack-folder.ts';
import type { Variables } from '../environment.ts';
import { remainingMs } from '../remaining-time.ts';
import { httpFiles } from './http-files.ts';

/**
 * Loads the packs from the function's asset, in the order in which the service tries them.
 * @param remote reads files at URLs; without it, the catalogue cannot read them
 */
export async function deployedPacks(
  variables: Pick<Variables, 'LAMBDA_TASK_ROOT' | 'MODEL_PACKS'>,
  remote?: RemoteSources,
): Promise<PackCatalogue> {
  const folders = variables.MODEL_PACKS.map((pack) =>
    openPackFolder(join(variables.LAMBDA_TASK_ROOT, 'models', pack)),
  );
  return createPackCatalogue(
    await Promise.all(
      folders.map((folder) =>
        loadDeployedPack(remote === undefined ? folder : withRemoteSources(folder, remote)),
      ),
    ),
  );
}

type PublisherVariables = Pick<
  Variables,
  | 'SERVICE_VERSION'
  | 'COVARIATE_CONTACT'
  | 'COVARIATE_REQUESTS_AT_ONCE'
  | 'COVARIATE_REQUESTS_PER_SECOND'
>;

export function publishedFiles(variables: PublisherVariables): PackFiles {
  const contact = variables.COVARIATE_CONTACT;
  return httpFiles({
    userAgent: `soil-batch/${variables.SERVICE_VERSION}${contact === null ? '' : ` (${contact})`}`,
    limits: {
      atOnce: variables.COVARIATE_REQUESTS_AT_ONCE,
      perSecond: variables.COVARIATE_REQUESTS_PER_SECOND,
    },
    remainingMs,
  });
}

export function withSources(pack: Pack, remote: RemoteSources): Pack {
  return { ...pack, files: withRemoteSources(pack.files, remote) };
}
