import { buildLocalApp } from '../build-local-app.ts';
import { MIRROR_PACKS, WORLD_PACKS } from './start.ts';

await buildLocalApp((local) => ({
  ...local,
  modelsFolder: MIRROR_PACKS,
  // The world map comes last, so that jobs without a model use the local packs where these have coverage.
  modelPacks: [...local.modelPacks, ...WORLD_PACKS],
}));
