import { buildLocalApp } from '../build-local-app.ts';
import { PACK_NAME, PACKS_FOLDER } from './synthetic-pack.ts';

await buildLocalApp((local) => ({ ...local, modelsFolder: PACKS_FOLDER, modelPacks: [PACK_NAME] }));
