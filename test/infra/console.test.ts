import { describe, expect, it } from 'vitest';
import { consoleBuild } from '../../lib/build/console-build.ts';

const files = new Map(Object.entries(consoleBuild()));

describe('the built console', () => {
  it('has no file that exceeds a response of Lambda', () => {
    for (const [name, text] of files) expect(Buffer.byteLength(text), name).toBeLessThan(4_000_000);
  });

  it('names every file by its content', () => {
    for (const name of files.keys()) expect(name).toMatch(/-[A-Z0-9]{8}\.(js|css)$/);
  });
});
