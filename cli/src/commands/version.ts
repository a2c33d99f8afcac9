import { readFileSync } from 'node:fs';
import * as z from 'zod';

/** The version in package.json, which is in the parent of `src` and of `dist`. */
export function cliVersion(): string {
  const text = readFileSync(new URL('../../package.json', import.meta.url), 'utf8');
  return z.object({ version: z.string() }).parse(JSON.parse(text)).version;
}
