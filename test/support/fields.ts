import { execFileSync } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readFields } from '../../cli/src/fields/read-fields.ts';
import type { ReadOptions } from '../../cli/src/fields/read-options.ts';

export type Corner = readonly [longitude: number, latitude: number];

export interface MadeFields {
  readonly folder: string;
  /** By EPSG code: PROJ's corners of the fields "veld 1", "veld 2" and "veld 3". */
  readonly corners: Readonly<Record<string, readonly (readonly Corner[])[]>>;
}

/** Files of fields that GDAL wrote, in a folder of their own. */
export function makeFields(): MadeFields {
  const folder = mkdtempSync(join(tmpdir(), 'fields-'));
  const python = join(import.meta.dirname, '../../.local/venv/bin/python');
  const printed = execFileSync(python, [join(import.meta.dirname, 'make_fields.py'), folder], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  return { folder, corners: JSON.parse(printed) };
}

/** The message for the user, with its kind before it. */
export async function problemOf(path: string, options?: ReadOptions): Promise<string> {
  try {
    await readFields(path, options);
    return 'none';
  } catch (error) {
    const problem = error instanceof Error && 'problem' in error ? error.problem : 'not for users';
    return `${problem}: ${error instanceof Error ? error.message : error}`;
  }
}
