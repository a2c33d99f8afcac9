import { cpSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Architecture } from 'aws-cdk-lib/aws-lambda';
import { needsOnnxRuntime } from '#engine/model/load-regressor.ts';
import { ROOT } from './build-cache.ts';
import { type DeployedPacks, listPackFolders, readManifest } from './model-packs.ts';

export const ONNX_RUNTIME_FOLDER = 'models/onnx-runtime';

/** esbuild cannot bundle a native library, so this package stays outside the bundle. */
export const ONNX_RUNTIME = 'onnxruntime-node';
const ONNX_COMMON = 'onnxruntime-common';

/** The paths are relative to the folder that installs the packages. */
export const COPIED_PACKAGES = [ONNX_RUNTIME, ONNX_COMMON].map((name) => `node_modules/${name}`);

const NODE_ARCHITECTURES = new Map([
  [Architecture.X86_64, 'x64'],
  [Architecture.ARM_64, 'arm64'],
]);

/** Whether any pack has a graph that the service's tree evaluator does not support. */
export function packsNeedOnnxRuntime(deployed: DeployedPacks): boolean {
  return listPackFolders(deployed).some((folder) => {
    const { graph } = readManifest(folder);
    return graph !== undefined && needsOnnxRuntime(readFileSync(join(folder, graph.href)));
  });
}

/**
 * Copies ONNX Runtime into a function's asset. The libraries of all platforms would exceed Lambda's limit for an asset
 * (250 MB), so only those of one platform are copied.
 */
export function copyOnnxRuntime(output: string, architecture: Architecture): void {
  const platform = `bin/napi-v6/linux/${NODE_ARCHITECTURES.get(architecture)}`;
  copyModule(output, ONNX_RUNTIME, ['package.json', 'dist', platform]);
  copyModule(output, ONNX_COMMON, ['package.json', 'dist/cjs']);
}

function copyModule(output: string, module: string, parts: readonly string[]): void {
  for (const part of parts) {
    const target = join(output, 'node_modules', module, part);
    cpSync(join(ROOT, ONNX_RUNTIME_FOLDER, 'node_modules', module, part), target, {
      recursive: true,
    });
  }
}
