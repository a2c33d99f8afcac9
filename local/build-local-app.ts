import { App, AspectPriority, Aspects } from 'aws-cdk-lib';
import { remoteSources } from '../bin/remote-sources.ts';
import { hasCompression } from '../lambdas/raster/cog/compression.ts';
import { stageConfig } from '../lib/config/each-stage.ts';
import { parseConfig, type StageConfig } from '../lib/config/stage-config.ts';
import { type DeployedPacks, manifestsOf, requireUsablePacks } from '../lib/model-packs.ts';
import { buildService } from '../lib/service.ts';
import { FixApiIds, localAddresses } from './emulator/addresses.ts';
import { FitToEmulator, fitAssembly } from './emulator/workarounds.ts';

/**
 * The same application as bin/app.ts, with its addresses on the emulator.
 * @param change what is to differ from the stage `local`
 */
export async function buildLocalApp(
  change: (local: StageConfig) => StageConfig = (local) => local,
): Promise<void> {
  const endpointUrl = process.env['AWS_ENDPOINT_URL'];
  if (endpointUrl === undefined) throw new Error('AWS_ENDPOINT_URL must name the emulator');
  // The validation takes half of a synth; bin/app.ts keeps it, and test/infra runs that.
  const app = new App({ builtinCloudFormationValidation: false });
  const addresses = localAddresses(endpointUrl);
  const config = parseConfig(change({ ...stageConfig('local'), baseUrls: addresses }));
  await requireUsablePacks(config, remoteSources());
  requireCompressions(config);
  buildService(app, config);
  const priority = AspectPriority.MUTATING;
  Aspects.of(app).add(new FixApiIds(), { priority });
  Aspects.of(app).add(new FitToEmulator(), { priority });
  fitAssembly(app.synth().directory);
}

/** The emulator runs functions on this machine's own Node, which may be older than Lambda's. */
function requireCompressions(deployed: DeployedPacks): void {
  for (const { id, raster } of manifestsOf(deployed)) {
    if (hasCompression(raster.compression)) continue;
    throw new Error(
      `the pack ${id} compresses by ${raster.compression}, which Node ${process.versions.node} lacks: run this with Node 22.15 or later`,
    );
  }
}
