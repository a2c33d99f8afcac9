import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import { CommandError } from '../operator/command.ts';

const expectedFiles = z.strictObject({
  /** The cell size in units of the CRS. */
  cell_size: z.number().positive(),
  /** West, south, east and north. The bounds of the files may differ from these by at most one cell. */
  bounds: z.tuple([z.number(), z.number(), z.number(), z.number()]),
  sample_type: z.string(),
  least_overviews: z.int().min(0),
  source: z.string().min(1),
});

export type ExpectedFiles = z.infer<typeof expectedFiles>;

const knownPlace = z.strictObject({
  place: z.string().min(1),
  /** The position in WGS84 degrees. */
  lon: z.number().min(-180).max(180),
  lat: z.number().min(-90).max(90),
  /** The published value in the property's unit; null where the map should have no data. */
  published: z.number().nullable(),
  source: z.string().min(1),
});

export type KnownPlace = z.infer<typeof knownPlace>;

const schema = z.strictObject({
  files: expectedFiles,
  /** A file with a list of places, relative to the pack's folder. */
  places: z.string().min(1),
});

interface Expected {
  readonly files: ExpectedFiles | null;
  readonly places: readonly KnownPlace[];
}

export const EXPECTED_FILE = 'expected.json';

/** Reads a pack's `expected.json`, if it has one, and the places that it names. @throws CommandError */
export function readExpected(folder: string): Expected {
  const path = join(folder, EXPECTED_FILE);
  if (!existsSync(path)) return { files: null, places: [] };
  const { files, places } = parseFile(path, schema);
  return { files, places: parseFile(join(folder, places), z.array(knownPlace)) };
}

function parseFile<Value>(path: string, valid: z.ZodType<Value>): Value {
  const parsed = valid.safeParse(JSON.parse(readFileSync(path, 'utf8')));
  if (parsed.success) return parsed.data;
  throw new CommandError(`${path}: ${z.prettifyError(parsed.error)}`, 1);
}
