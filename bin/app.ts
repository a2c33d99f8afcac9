import { App } from 'aws-cdk-lib';
import { stageConfig } from '../lib/config.ts';
import { buildService } from '../lib/service.ts';

const app = new App();
buildService(app, stageConfig(app.node.tryGetContext('stage')));
