import { describe, expect, it } from 'vitest';
import { sectionOf, withRelease } from '../../../bin/release/changelog.ts';

const CHANGELOG = `# Changelog

## [Unreleased]

### Added

- **API:** a price in $& and $1.

## [0.2.0] - 2026-11-22

The second.
`;

describe('a release in the changelog', () => {
  const released = withRelease(CHANGELOG, '0.3.0', '2026-12-01');

  it('has what was unreleased', () => {
    expect(released).toContain('\n## [0.3.0] - 2026-12-01\n');
    expect(sectionOf(released, '0.3.0')).toBe(sectionOf(CHANGELOG, 'Unreleased'));
    expect(sectionOf(released, 'Unreleased')).toBe('');
  });

  it('leaves earlier versions as they are', () => {
    expect(sectionOf(released, '0.2.0')).toBe('The second.');
  });

  it('is rejected when nothing is unreleased', () => {
    expect(() => withRelease(released, '0.4.0', '2026-12-02')).toThrow('[Unreleased]');
  });
});

it('a version that the changelog does not have is an error', () => {
  expect(() => sectionOf(CHANGELOG, '0.1.0')).toThrow('[0.1.0]');
});
