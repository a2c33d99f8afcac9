import { newApiKey } from '../../../lambdas/domain/tenant/api-key.ts';
import { readStageConfig } from '../../../lib/config/each-stage.ts';
import { startDevServer } from '../../../local/dev/server.ts';

// usage: serve-packs.ts <folder> <pack>,<pack>: prints the URL and the key as JSON

const [modelsFolder = '', packs = ''] = process.argv.slice(2);
const apiKey = newApiKey();
const { url } = await startDevServer({
  port: 0,
  config: { ...readStageConfig('local'), modelsFolder, modelPacks: packs.split(',') },
  version: '1.2.3',
  apiKey,
  write: () => {},
  onFault: () => {},
});
console.log(JSON.stringify({ url, apiKey }));
