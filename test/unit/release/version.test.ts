import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import {
  nextDevelopmentVersion,
  requireNextVersion,
  VERSIONED,
} from '../../../bin/release/version.ts';
import project from '../../../package.json' with { type: 'json' };

describe.each(Object.entries(VERSIONED))('%s', (file, change) => {
  const text = readFileSync(file, 'utf8');

  it('contains the version of the project', () => {
    expect(change(text, project.version)).toBe(text);
  });

  it('can be set to another version, including in dependent entries', () => {
    const changed = readOwnVersions(file, change(text, '0.999.0-dev'));
    expect(changed).toMatch(/"0\.999\.0(-dev|\.dev0)"/);
    expect(changed).not.toContain(`"${project.version}"`);
    expect(changed).not.toContain(`"^${project.version}"`);
  });
});

/** Omits the versions of other packages in a lock, which may equal the project's version. */
function readOwnVersions(file: string, text: string): string {
  if (file !== 'package-lock.json') return text;
  const { version, packages } = JSON.parse(text);
  return JSON.stringify([version, packages[''], packages.client]);
}

describe('the next version', () => {
  it.each(['0.2.1', '0.2.2', '0.3.0', '0.10.0'])('may be %s after 0.2.1-dev', (version) => {
    expect(() => requireNextVersion(version, '0.2.1-dev')).not.toThrow();
  });

  it.each(['0.2.0', '0.1.9', '1.0.0', '0.3', 'v0.3.0', '0.03.0', '0.3.0-dev', ''])(
    'may not be "%s" after 0.2.1-dev',
    (version) => expect(() => requireNextVersion(version, '0.2.1-dev')).toThrow(/expected|earlier/),
  );

  it('has the next patch number during development', () => {
    expect(nextDevelopmentVersion('0.3.0')).toBe('0.3.1-dev');
  });
});
