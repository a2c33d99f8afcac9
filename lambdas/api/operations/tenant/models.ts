import type { PackCatalogue } from '#engine/model/pack/catalogue.ts';
import { memoized } from '../../../adapters/memoized.ts';
import { readQuery } from '../../contract/query.ts';
import type { Operation } from '../../http/handle.ts';
import { revalidated } from '../../http/response.ts';
import type { OperationSpecification } from '../../specification/operation.ts';
import { modelView } from './model-view.ts';
import example from './models.example.json' with { type: 'json' };
import { type ModelsResponse, modelsResponse } from './models-response.ts';

export interface ModelsPorts {
  /** The operation reads only the manifests of the packs. */
  readonly catalogue: () => Promise<PackCatalogue>;
}

export function modelsOperation({ catalogue }: ModelsPorts): Operation {
  const response = memoized(async (): Promise<ModelsResponse> => {
    const { packs } = await catalogue();
    return { models: packs.map(({ ref, manifest }) => modelView(ref, manifest)) };
  });
  return async (request) => {
    readQuery(request, []);
    return revalidated(request, await response());
  };
}

export const modelsSpecification: OperationSpecification = {
  tag: 'Service',
  summary: 'Models',
  description:
    'The models of this deployment: what they predict, where they are valid, their accuracy and their licenses.',
  parameters: ['ifNoneMatch'],
  response: {
    status: 200,
    description: 'The models, in the order in which they are tried',
    headers: ['ETag', 'Cache-Control'],
    content: { schema: modelsResponse, example: example },
  },
  problems: [],
};
