import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { buildFunctions } from '../../lib/build/function-code.ts';
import { buildDeployedCode, versionOfCode } from '../../lib/build/service-version.ts';

const folder = mkdtempSync(join(tmpdir(), 'soil-batch-version-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function computeVersion(source: string): string {
  writeFileSync(join(folder, 'function.ts'), source);
  const handler = join(relative('lambdas', folder), 'function');
  const { output } = buildFunctions([handler], join(folder, 'cache.json'));
  return versionOfCode('0.3.0-dev', () => ({ code: output[handler]?.['index.mjs'] ?? '' }));
}

describe('the version between releases', () => {
  const first = computeVersion('export const handler = () => 1;');

  it("is package.json's version with a hash", () => {
    expect(first).toMatch(/^0\.3\.0-dev\+[0-9a-f]{12}$/);
  });

  it('is the same for the same code, whatever its comments', () => {
    expect(computeVersion('/** Responds. */\nexport const handler = () => 1;')).toBe(first);
  });

  it('differs for different code', () => {
    expect(computeVersion('export const handler = () => 2;')).not.toBe(first);
  });

  it('covers functions, the documents, the console and the lock', () => {
    const names = Object.keys(buildDeployedCode());
    expect(names).toEqual(
      expect.arrayContaining([
        'api/functions/open',
        'pipeline/predict-patch-batch',
        'openapi-v1.json',
        'lock',
      ]),
    );
    expect(names.some((name) => /^app-.*\.js$/.test(name))).toBe(true);
  });
});

it('the version of a release has no hash', () => {
  expect(versionOfCode('0.3.0', buildDeployedCode)).toBe('0.3.0');
});
