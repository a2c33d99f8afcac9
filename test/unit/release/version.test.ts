import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import {
  citationWith,
  LOCK,
  lockWith,
  manifestWith,
  pyprojectWith,
  requireNext,
  VERSIONED,
} from '../../../bin/release/version.ts';
import cli from '../../../cli/package.json' with { type: 'json' };
import project from '../../../package.json' with { type: 'json' };

const read = (file: string) => readFileSync(file, 'utf8');

describe('the version', () => {
  // Writing the present version changes nothing, if every place has it.
  it.each(VERSIONED)('is the same in %s', (file) => {
    expect(manifestWith(read(file), project.version)).toBe(read(file));
  });

  it('is the same in the Python package', () => {
    const text = read('python/pyproject.toml');
    for (const held of [text, read('models/tools/pyproject.toml')]) {
      expect(pyprojectWith(held, project.version)).toBe(held);
    }
    expect(pyprojectWith(text, '0.999.0')).toContain('\nversion = "0.999.0"\n');
  });

  it('is the same in the lock and in CITATION.cff', () => {
    expect(lockWith(read(LOCK), project.version)).toBe(read(LOCK));
    expect(read('CITATION.cff')).toContain(`\nversion: ${project.version}\n`);
  });

  it('is what the CLI needs of the client', () => {
    expect(cli.dependencies['soil-batch-client']).toBe(`^${project.version}`);
  });

  it('is changed in a manifest, a lock and a citation', () => {
    expect(manifestWith(read('cli/package.json'), '0.999.0')).toContain('"^0.999.0"');
    expect(lockWith(read(LOCK), '0.999.0').match(/"\^?0\.999\.0"/g)).toHaveLength(5);
    const citation = citationWith(read('CITATION.cff'), '0.999.0', '2030-01-31');
    expect(citation).toMatch(/^version: 0\.999\.0\ndate-released: "2030-01-31"$/m);
  });
});

describe('the next version', () => {
  it.each(['0.3.0', '0.2.2', '0.10.0'])('may be %s after 0.2.1', (version) => {
    expect(() => requireNext(version, '0.2.1')).not.toThrow();
  });

  it.each(['0.2.1', '0.2.0', '0.1.9', '1.0.0', '0.3', 'v0.3.0', '0.03.0', ''])(
    'may not be "%s" after 0.2.1',
    (version) => expect(() => requireNext(version, '0.2.1')).toThrow(/expected|not later/),
  );
});
