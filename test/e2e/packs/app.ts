import { buildLocalApp } from '../../../local/build-local-app.ts';
import { E2E_PACKS, PACKS } from './packs.ts';

await buildLocalApp((local) => ({
  ...local,
  modelsFolder: E2E_PACKS,
  modelPacks: PACKS,
  eventBus: 'default',
}));
