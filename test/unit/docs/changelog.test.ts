import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import project from '../../../package.json' with { type: 'json' };

it('the changelog describes the version of package.json, newest first', () => {
  const text = readFileSync('CHANGELOG.md', 'utf8');
  const versions = [...text.matchAll(/^## \[(\d+\.\d+\.\d+)\] - \d{4}-\d\d-\d\d$/gm)];
  expect(versions[0]?.[1]).toBe(project.version);
  const kinds = [...text.matchAll(/^### (.+)$/gm)].map(([, kind]) => kind);
  const known = ['Added', 'Changed', 'Deprecated', 'Removed', 'Fixed', 'Security'];
  expect(kinds.filter((kind) => !known.includes(kind ?? ''))).toEqual([]);
});
