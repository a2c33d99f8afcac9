import { buildLocalApp } from '../build-local-app.ts';
import { MIRROR_PACKS, WORLD_PACKS } from './start.ts';

await buildLocalApp((local) => ({
  ...local,
  modelsFolder: MIRROR_PACKS,
  // The map of the world last: jobs without a model take the local ones where these are.
  modelPacks: [...local.modelPacks, ...WORLD_PACKS],
}));
