import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { buildApiReference } from '../../../bin/generated/api-reference.ts';
import project from '../../../package.json' with { type: 'json' };

describe('docs/api-reference.md', () => {
  it('is up to date with `npm run docs`', () => {
    const text = readFileSync('docs/api-reference.md', 'utf8');
    // The texts are compared here, because Vitest would print a diff of a thousand lines.
    expect(text === buildApiReference(project.version), 'run `npm run docs`').toBe(true);
  });
});
