import { cpSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Architecture } from 'aws-cdk-lib/aws-lambda';
import { needsOnnxRuntime } from '../lambdas/model/load-regressor.ts';
import { manifestSchema } from '../lambdas/model/pack/manifest.ts';
import { type DeployedPacks, packFolders } from './model-packs.ts';

const NODE_MODULES = fileURLToPath(new URL('../node_modules/', import.meta.url));

/** Left out of the bundle: its native library can't be bundled. */
export const ONNX_RUNTIME = 'onnxruntime-node';

/** Node's names of Lambda's architectures. */
const NODE_ARCHITECTURES = new Map([
  [Architecture.X86_64, 'x64'],
  [Architecture.ARM_64, 'arm64'],
]);

/** Whether one of the packs has a graph that is no tree ensemble. */
export function packsNeedOnnxRuntime(deployed: DeployedPacks): boolean {
  return packFolders(deployed).some((folder) => {
    const manifest = readFileSync(join(folder, 'manifest.json'), 'utf8');
    const { graph } = manifestSchema.parse(JSON.parse(manifest));
    return needsOnnxRuntime(readFileSync(join(folder, graph.href)));
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
