import { describe, expect, it } from 'vitest';
import { addRelease, findSection } from '../../../bin/release/changelog.ts';

const CHANGELOG = `# Changelog

## [Unreleased]

### Added

- **API:** a price in $& and $1.

## [0.2.0] - 2026-11-22

The second.
`;

describe('a release in the changelog', () => {
  const released = addRelease(CHANGELOG, '0.3.0', '2026-12-01');

  it('contains the unreleased changes', () => {
    expect(released).toContain('\n## [0.3.0] - 2026-12-01\n');
    expect(findSection(released, '0.3.0')).toBe(findSection(CHANGELOG, 'Unreleased'));
    expect(findSection(released, 'Unreleased')).toBe('');
  });

  it('leaves earlier versions unchanged', () => {
    expect(findSection(released, '0.2.0')).toBe('The second.');
  });

  it('is rejected if there are no unreleased changes', () => {
    expect(() => addRelease(released, '0.4.0', '2026-12-02')).toThrow('[Unreleased]');
  });
});

it('looking up a version that the changelog does not have is an error', () => {
  expect(() => findSection(CHANGELOG, '0.1.0')).toThrow('[0.1.0]');
});
