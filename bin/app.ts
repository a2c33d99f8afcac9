import { App } from 'aws-cdk-lib';
import { messageOf } from '../engine/errors/message-of.ts';
import { requireUsablePacks } from '../lib/build/model-packs.ts';
import { computeServiceVersion } from '../lib/build/service-version.ts';
import { requireDeployable } from '../lib/config/deployable.ts';
import { readStageConfig } from '../lib/config/each-stage.ts';
import { buildService } from '../lib/service.ts';
import { remoteSources } from './packs/remote-sources.ts';

async function main(): Promise<void> {
  const app = new App();
  const config = readStageConfig(app.node.tryGetContext('stage'));
  // The CDK CLI sets this variable from its environment or profile.
  requireDeployable(config, process.env['CDK_DEFAULT_REGION']);
  for (const unchecked of await requireUsablePacks(config, remoteSources())) {
    console.warn(`not checked: ${unchecked}`);
  }
  buildService(app, config, computeServiceVersion());
}

main().catch((error: unknown) => {
  console.error(messageOf(error));
  process.exitCode = 1;
});
