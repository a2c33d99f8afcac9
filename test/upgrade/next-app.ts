import { buildLocalApp } from '../../local/build-local-app.ts';
import { manyBatches } from './many-batches.ts';
import { makeNextPack, NEXT_PACKS, PACK } from './next-pack.ts';

// This application has the next version of its pack, which changes every function of the pipeline.
makeNextPack();
await buildLocalApp((local) => ({
  ...manyBatches(local),
  modelsFolder: NEXT_PACKS,
  modelPacks: [PACK],
}));
