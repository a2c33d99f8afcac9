import { App } from 'aws-cdk-lib';
import { stageConfig } from '../lib/config.ts';
import { requireUsablePacks } from '../lib/model-packs.ts';
import { buildService } from '../lib/service.ts';

const app = new App();
const config = stageConfig(app.node.tryGetContext('stage'));
await requireUsablePacks(config.modelPacks);
buildService(app, config);
