import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import {
  CONSTRUCT_WORKAROUNDS,
  PATCHES,
  REJECTED_TYPES,
  TEMPLATE_WORKAROUNDS,
} from '../../local/emulator/workarounds.ts';
import { synthesise } from '../support/infra/synthesised.ts';

const WORKAROUNDS = [
  ...CONSTRUCT_WORKAROUNDS,
  ...TEMPLATE_WORKAROUNDS,
  ...Object.values(PATCHES),
].map((workaround) => [workaround.hides, workaround] as const);

describe('a workaround for the emulator', () => {
  it.each(WORKAROUNDS)('names a test that covers what it hides: "%s"', (hides, { test, until }) => {
    expect(hides.length).toBeGreaterThan(20);
    expect(until.length).toBeGreaterThan(10);
    expect(test.file).toMatch(/^test\/.*\.test\.ts$/);
    expect(titlesOf(test.file)).toContain(test.title);
  });

  it.each(Object.keys(REJECTED_TYPES))('is still needed for a resource: %s', (type) => {
    expect(synthesise('prod').ofType(type)).not.toEqual([]);
  });

  it('is listed for each module that patches MiniStack, except the module that counts operations', () => {
    const launcher = readFileSync('local/emulator/run_ministack.py', 'utf8');
    const imported = [...launcher.matchAll(/^import (\w+) {2}# /gm)].map(([, name]) => name);
    expect(imported.sort()).toEqual([...Object.keys(PATCHES), 'operations'].sort());
    const modules = readdirSync('local/emulator').filter((file) => file.endsWith('.py'));
    expect(modules.sort()).toEqual(
      [...imported, 'run_ministack'].map((name) => `${name}.py`).sort(),
    );
  });
});

function titlesOf(file: string): readonly (string | undefined)[] {
  const text = readFileSync(file, 'utf8');
  // The title is the first argument of `it`, or of the function that `it.each` returns.
  return [...text.matchAll(/(?:\bit\(|^ *\)\(|\)\()\s*(['"`])(.+?)\1,/gm)].map(
    ([, , title]) => title,
  );
}
