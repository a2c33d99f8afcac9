import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { PYTHON_LOCKS } from '../../../bin/generated/python-locks.ts';

const locked = z.object({
  packages: z.record(
    z.string(),
    z.object({
      integrity: z.string().optional(),
      link: z.boolean().optional(),
      inBundle: z.boolean().optional(),
    }),
  ),
});

describe.each([
  { lock: 'package-lock.json', atLeast: 300 },
  { lock: 'test/generators/package-lock.json', atLeast: 20 },
  { lock: 'test/lambda-runtime/package-lock.json', atLeast: 1 },
])('$lock', ({ lock, atLeast }) => {
  const { packages } = locked.parse(JSON.parse(readFileSync(lock, 'utf8')));
  const installed = Object.entries(packages).filter(([path]) => path.includes('node_modules/'));

  it('has a hash for every package, or for the package that bundles it', () => {
    expect(installed.length).toBeGreaterThanOrEqual(atLeast);
    const unverified = installed.filter(
      ([path, { integrity, link, inBundle }]) =>
        link !== true && integrity === undefined && !(inBundle === true && isBundled(path)),
    );
    expect(unverified.map(([path]) => path)).toEqual([]);
  });

  /** npm verifies a bundled package as part of the package that contains it. */
  function isBundled(path: string): boolean {
    const holder = path.slice(0, path.lastIndexOf('/node_modules/'));
    return packages[holder]?.integrity !== undefined;
  }
});

describe.each(PYTHON_LOCKS)('the Python packages of %s', (folder) => {
  const lock = readFileSync(join(folder, 'requirements.txt'), 'utf8');
  const locked = lock.split(/^(?=[a-z])/m).slice(1);

  it('match requirements.in (`npm run lock-python`)', () => {
    const source = readFileSync(join(folder, 'requirements.in'), 'utf8');
    const pins = source.toLowerCase().match(/^[a-z][^\s;]*/gm) ?? [];
    expect(pins.length).toBeGreaterThan(0);
    expect(locked.map((one) => one.split(/[ ;]/)[0])).toEqual(expect.arrayContaining(pins));
  });

  it('each have a hash', () => {
    expect(locked.length).toBeGreaterThan(0);
    for (const one of locked) expect(one).toMatch(/^\S+==\S+ .*\n {4}--hash=sha256:[0-9a-f]{64}/);
  });

  it('are updated by Dependabot', () => {
    const updates = readFileSync('.github/dependabot.yml', 'utf8');
    const [, folders = ''] = /ecosystem: pip\n +directories: \[(.*)\]/.exec(updates) ?? [];
    expect(folders.split(', ')).toContain(`/${folder}`);
  });
});

describe('the actions that GitHub workflows use', () => {
  const workflows = readdirSync('.github/workflows').map((name) => join('.github/workflows', name));
  const uses = workflows.flatMap(
    (file) => readFileSync(file, 'utf8').match(/uses: (?!\.\/).*/g) ?? [],
  );

  it('are pinned to a commit, with the version in a comment', () => {
    expect(uses.length).toBeGreaterThan(0);
    for (const one of uses)
      expect(one).toMatch(/^uses: [\w-]+\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/);
  });
});
