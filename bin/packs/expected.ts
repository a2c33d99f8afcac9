import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import { CommandError } from '../operator/command.ts';
import type { LonLat } from './covariates-at.ts';
import { columnAt, numberIn, readSampleTable } from './sample-table.ts';

/** What is known of a published map's files before they are read. */
const expectedFiles = z.strictObject({
  /** In units of the CRS. */
  cell_size: z.number().positive(),
  /** West, south, east and north. Files may differ from it by a cell. */
  bounds: z.tuple([z.number(), z.number(), z.number(), z.number()]),
  /** Such as `uint16`. */
  sample_type: z.string(),
  least_overviews: z.int().min(0),
  /** Who says so. */
  source: z.string().min(1),
});

export type ExpectedFiles = z.infer<typeof expectedFiles>;

/** A place whose magnitude is published. */
export interface KnownPlace {
  readonly name: string;
  readonly position: LonLat;
  /** In the property's unit; null where the map has no data. */
  readonly published: number | null;
}

const schema = z.strictObject({
  files: expectedFiles,
  /** A table with the columns place, lon, lat, published and source, relative to the pack's folder. */
  places: z.string().min(1),
});

/** What is known of a published map from elsewhere. */
interface Expected {
  readonly files: ExpectedFiles | null;
  readonly places: readonly KnownPlace[];
}

export const EXPECTED_FILE = 'expected.json';

/** Reads a pack's `expected.json`, if it has one. @throws CommandError */
export function expectedIn(folder: string): Expected {
  const path = join(folder, EXPECTED_FILE);
  if (!existsSync(path)) return { files: null, places: [] };
  const parsed = schema.safeParse(JSON.parse(readFileSync(path, 'utf8')));
  if (!parsed.success) throw new CommandError(`${path}: ${z.prettifyError(parsed.error)}`, 1);
  const { files, places } = parsed.data;
  return { files, places: placesIn(readFileSync(join(folder, places), 'utf8')) };
}

function placesIn(text: string): readonly KnownPlace[] {
  const table = readSampleTable(text);
  const [nameAt, publishedAt] = [columnAt(table, 'place'), columnAt(table, 'published')];
  return table.samples.map((sample, i) => ({
    name: sample.fields[nameAt] ?? '',
    position: sample.position,
    published:
      sample.fields[publishedAt] === ''
        ? null
        : numberIn(sample, publishedAt, `place ${i + 1}, published`),
  }));
}
