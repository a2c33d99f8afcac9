import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';
import { describe, expect, it } from 'vitest';
import { FAULT_PORT_MARKER } from '../support/simulation/fault-port.ts';

const DEPLOYED = ['engine', 'lambdas', 'lib', 'bin'];

describe('the fault port', () => {
  it.each(DEPLOYED)('is not imported from %s/, and neither is any other test file', (folder) => {
    const files = filesOf(folder);
    const importing = files.filter((file) =>
      /(?:\bfrom|\bimport)\s*\(?\s*['"][^'"]*\/test\//.test(readFileSync(file, 'utf8')),
    );
    expect(files.length).toBeGreaterThan(0);
    expect(importing).toEqual([]);
  });

  it('is not in any bundled function', async () => {
    const handlers = filesOf('lambdas').filter((file) =>
      /^export (const|async function) handler\b/m.test(readFileSync(file, 'utf8')),
    );
    const { inputs, texts } = await bundleWithoutPackages(handlers);
    expect(texts).toHaveLength(handlers.length);
    expect(inputs.filter((input) => input.startsWith('test/'))).toEqual([]);
    expect(texts.filter((text) => text.includes(FAULT_PORT_MARKER))).toEqual([]);
  });

  it('is detected in a bundle that contains it', async () => {
    const { inputs, texts } = await bundleWithoutPackages([
      'test/support/simulation/steps.ts',
      'test/support/simulation/world.ts',
    ]);
    expect(inputs).toContain('test/support/simulation/fault-port.ts');
    expect(texts.some((text) => text.includes(FAULT_PORT_MARKER))).toBe(true);
  });
});

/** Bundles the entry points without packages, because packages never import from the tests. */
async function bundleWithoutPackages(entryPoints: readonly string[]) {
  const { metafile, outputFiles } = await build({
    entryPoints: [...entryPoints],
    bundle: true,
    packages: 'external',
    format: 'esm',
    platform: 'node',
    target: 'es2023',
    minify: true,
    metafile: true,
    write: false,
    outdir: 'never-written',
    logLevel: 'silent',
  });
  const texts = outputFiles.map(({ text }) => text);
  return { inputs: Object.keys(metafile.inputs), texts };
}

function filesOf(folder: string): readonly string[] {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  return names.filter((name) => name.endsWith('.ts')).map((name) => join(folder, name));
}
