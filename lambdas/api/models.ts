import { environment } from '../adapters/environment.ts';
import { deployedPacks } from '../adapters/packs/deployed-packs.ts';
import { remembered } from '../adapters/remembered.ts';
import type { PackCatalogue } from '../model/pack/catalogue.ts';
import { modelView } from './contract/model-view.ts';
import type { ModelsResponse } from './contract/models.ts';
import { readQuery } from './contract/query.ts';
import type { Operation } from './http/handle.ts';
import { handleKeyed } from './http/handle-keyed.ts';
import { revalidated } from './http/response.ts';

/** @param packs the deployment's, of which only the manifests are read */
export function modelsOperation(packs: () => Promise<PackCatalogue>): Operation {
  const answer = remembered(async (): Promise<ModelsResponse> => {
    const catalogue = await packs();
    return { models: catalogue.packs.map(({ ref, manifest }) => modelView(ref, manifest)) };
  });
  return async (request) => {
    readQuery(request, []);
    return revalidated(request, await answer());
  };
}

export const handler = handleKeyed('models', () => {
  const env = environment('LAMBDA_TASK_ROOT', 'MODEL_PACKS');
  return modelsOperation(() => deployedPacks(env));
});
