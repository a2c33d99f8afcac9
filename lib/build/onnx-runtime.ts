import { cpSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Architecture } from 'aws-cdk-lib/aws-lambda';
import { needsOnnxRuntime } from '#engine/model/load-regressor.ts';
import { manifestSchema } from '#engine/model/pack/manifest.ts';
import { type DeployedPacks, packFolders } from './model-packs.ts';

const NODE_MODULES = fileURLToPath(
  new URL('../../models/onnx-runtime/node_modules/', import.meta.url),
);

/** Not bundled, because a native library can't be. */
export const ONNX_RUNTIME = 'onnxruntime-node';

/** Lambda's architectures by their names in Node.js. */
const NODE_ARCHITECTURES = new Map([
  [Architecture.X86_64, 'x64'],
  [Architecture.ARM_64, 'arm64'],
]);

/** Whether any pack has a graph that is not a tree ensemble. */
export function packsNeedOnnxRuntime(deployed: DeployedPacks): boolean {
  return packFolders(deployed).some((folder) => {
    const manifest = readFileSync(join(folder, 'manifest.json'), 'utf8');
    const { graph } = manifestSchema.parse(JSON.parse(manifest));
    return graph !== undefined && needsOnnxRuntime(readFileSync(join(folder, graph.href)));
  });
}

/**
 * Copies ONNX Runtime into a function's asset. Its package has the libraries of every platform
 * (300 MB); Lambda limits an asset to 250 MB, so only those of one platform are copied.
 */
export function copyOnnxRuntime(output: string, architecture: Architecture): void {
  const platform = `bin/napi-v6/linux/${NODE_ARCHITECTURES.get(architecture)}`;
  copyModule(output, ONNX_RUNTIME, ['package.json', 'dist', platform]);
  copyModule(output, 'onnxruntime-common', ['package.json', 'dist/cjs']);
}

function copyModule(output: string, module: string, parts: readonly string[]): void {
  for (const part of parts) {
    const target = join(output, 'node_modules', module, part);
    cpSync(join(NODE_MODULES, module, part), target, { recursive: true });
  }
}
