import { execFileSync } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export type Corner = readonly [longitude: number, latitude: number];

export interface MadeFields {
  readonly folder: string;
  /** The corners of the fields "veld 1", "veld 2" and "veld 3" as PROJ computes them, by EPSG code. */
  readonly corners: Readonly<Record<string, readonly (readonly Corner[])[]>>;
}

export function makeFields(): MadeFields {
  const folder = mkdtempSync(join(tmpdir(), 'fields-'));
  const python = join(import.meta.dirname, '../../.local/venv/bin/python');
  const printed = execFileSync(python, [join(import.meta.dirname, 'make_fields.py'), folder], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  return { folder, corners: JSON.parse(printed) };
}
