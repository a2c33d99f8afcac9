import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { buildApiReference } from '../../../bin/generated/api-reference.ts';
import project from '../../../package.json' with { type: 'json' };

describe('docs/api-reference.md', () => {
  it('is up to date with `npm run docs`', () => {
    const text = readFileSync('docs/api-reference.md', 'utf8');
    // Not toBe, because a diff of a thousand lines helps nobody.
    expect(text === buildApiReference(project.version), 'run `npm run docs`').toBe(true);
  });
});
