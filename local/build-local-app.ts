import { App, AspectPriority, Aspects } from 'aws-cdk-lib';
import { hasCompression } from '#engine/raster/cog/compression.ts';
import { remoteSources } from '../bin/packs/remote-sources.ts';
import { type DeployedPacks, readManifests, requireUsablePacks } from '../lib/build/model-packs.ts';
import { computeServiceVersion } from '../lib/build/service-version.ts';
import { readStageConfig } from '../lib/config/each-stage.ts';
import { parseConfig, type StageConfig } from '../lib/config/stage-config.ts';
import { buildService } from '../lib/service.ts';
import { AdaptToEmulator, adaptAssembly, buildLocalApiUrls, FixApiIds } from './emulator/adapt.ts';

/**
 * The same application as bin/app.ts, with its URLs on the emulator.
 * @param change changes the configuration of the stage `local`
 */
export async function buildLocalApp(
  change: (local: StageConfig) => StageConfig = (local) => local,
): Promise<void> {
  const endpointUrl = process.env['AWS_ENDPOINT_URL'];
  if (endpointUrl === undefined)
    throw new Error('AWS_ENDPOINT_URL must be set to the URL of the emulator');
  // The validation is slow, and is covered by bin/app.ts and test/infra.
  const app = new App({ builtinCloudFormationValidation: false });
  const baseUrls = buildLocalApiUrls(endpointUrl);
  const config = parseConfig(change({ ...readStageConfig('local'), baseUrls }));
  await requireUsablePacks(config, remoteSources());
  requireCompressions(config);
  buildService(app, config, computeServiceVersion());
  const priority = AspectPriority.MUTATING;
  Aspects.of(app).add(new FixApiIds(), { priority });
  Aspects.of(app).add(new AdaptToEmulator(), { priority });
  adaptAssembly(app.synth().directory);
}

/** The emulator runs functions with this machine's Node, which may be older than Lambda's. */
function requireCompressions(deployed: DeployedPacks): void {
  for (const { id, raster } of readManifests(deployed)) {
    if (hasCompression(raster.compression)) continue;
    throw new Error(
      `the pack ${id} uses ${raster.compression} compression, which Node ${process.versions.node} does not support; use Node 24, or 22.15 and later 22.x`,
    );
  }
}
