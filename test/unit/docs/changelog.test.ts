import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { findSection } from '../../../bin/release/changelog.ts';

it('the changelog has a section for unreleased changes, and only known kinds of change', () => {
  const text = readFileSync('CHANGELOG.md', 'utf8');
  expect(() => findSection(text, 'Unreleased')).not.toThrow();
  const kinds = [...text.matchAll(/^### (.+)$/gm)].map(([, kind]) => kind);
  const known = ['Added', 'Changed', 'Deprecated', 'Removed', 'Fixed', 'Security'];
  expect(kinds.filter((kind) => !known.includes(kind ?? ''))).toEqual([]);
});
