import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { zipSync } from 'fflate';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { type Choice, FileRejected, NoFields } from '../../../console/files/file-fields.ts';
import { readFile } from '../../../console/files/read-file.ts';
import { computeHectares } from '../../../engine/geometry/ellipsoid.ts';
import { parseJobPolygon } from '../../../engine/geometry/parse.ts';

const FOLDER = join(import.meta.dirname, '../../fixtures/fields');

const fieldSchema = z.strictObject({
  name: z.string().nullable(),
  hectares: z.number().optional(),
  center: z.tuple([z.number(), z.number()]).optional(),
  attributes: z.record(z.string(), z.unknown()).default({}),
  invalid: z.string().optional(),
});

const outcomeSchema = {
  fields: z.array(fieldSchema).default([]),
  left_out: z.array(z.strictObject({ row: z.int(), kind: z.string() })).default([]),
  remarks: z.array(z.string()).default([]),
  error: z.string().optional(),
};

const caseSchema = z.strictObject({
  file: z.string(),
  choices: z
    .strictObject({
      layer: z.string().optional(),
      crs: z.int().optional(),
      encoding: z.string().optional(),
      buffer: z.number().optional(),
    })
    .optional(),
  ...outcomeSchema,
  differs: z
    .partialRecord(z.enum(['command', 'console']), z.looseObject({ reason: z.string() }))
    .optional(),
});

const { cases, not_read } = z
  .object({
    not_read: z.object({
      console: z.object({ endings: z.array(z.string()), error: z.string() }),
    }),
    cases: z.array(caseSchema),
  })
  .parse(JSON.parse(readFileSync(join(FOLDER, 'expected.json'), 'utf8')));

type Case = z.infer<typeof caseSchema>;

/** The expected outcome for this reader, according to the table. */
function expectedOf({ differs, ...row }: Case): Omit<Case, 'differs'> {
  const isUnread = not_read.console.endings.some((ending) => row.file.endsWith(ending));
  const own = isUnread
    ? { fields: [], left_out: [], remarks: [], error: not_read.console.error }
    : differs?.console;
  const { reason: _, ...changed }: Record<string, unknown> = own ?? {};
  return caseSchema.omit({ differs: true }).parse({ ...row, ...changed });
}

/** Returns a file; the parts of a Shapefile are archived. */
function fileOf(name: string): File {
  const stem = name.replace(/\.shp$/, '');
  if (stem === name) return new File([readFileSync(join(FOLDER, name))], name);
  const parts = ['shp', 'shx', 'dbf', 'prj', 'cpg']
    .map((ending) => `${stem}.${ending}`)
    .filter((part) => existsSync(join(FOLDER, part)))
    .map((part) => [part, new Uint8Array(readFileSync(join(FOLDER, part)))] as const);
  return new File([zipSync(Object.fromEntries(parts))], `${stem}.zip`);
}

async function outcomeOf(name: string, choice: Choice) {
  try {
    const { fields, leftOut, remarks } = await readFile(fileOf(name), choice);
    return { fields, leftOut, remarks: remarks.map(({ kind }) => kind), error: undefined };
  } catch (error) {
    if (!(error instanceof FileRejected)) throw error;
    const leftOut = error instanceof NoFields ? error.leftOut : [];
    return { fields: [], leftOut, remarks: [], error: error.fault };
  }
}

function parseOutline(outline: unknown) {
  const sent: unknown = JSON.parse(JSON.stringify(outline));
  const parsed = parseJobPolygon(sent);
  if (parsed.kind === 'problem') return { invalid: parsed.code };
  const corners = parsed.polygon.flat(2);
  const middle = (axis: 0 | 1) => {
    const values = corners.map((corner) => corner[axis]);
    return (Math.min(...values) + Math.max(...values)) / 2;
  };
  const center = [middle(0), middle(1)];
  return { hectares: computeHectares(parsed.polygon), center };
}

describe('the console reads a file of fields as the table of cases states:', () => {
  it.each(
    cases.map(
      (one) => [`${one.file} ${JSON.stringify(one.choices ?? {})}`, expectedOf(one)] as const,
    ),
  )('%s', async (_, { file, choices = {}, fields, left_out, remarks, error }) => {
    const read = await outcomeOf(file, choices as Choice);
    expect(read.error).toBe(error);
    expect(read.fields.map(({ name }) => name)).toEqual(fields.map(({ name }) => name));
    expect(read.leftOut.map(({ row, kind }) => ({ row, kind }))).toEqual(left_out);
    expect(new Set(read.remarks)).toEqual(new Set(remarks));
    fields.forEach(({ hectares, center, attributes, invalid }, index) => {
      const { polygon = null, malformed, attributes: own = {} } = read.fields[index] ?? {};
      const found = parseOutline(polygon ?? malformed ?? { type: 'Feature', geometry: null });
      expect(found.invalid).toBe(invalid);
      if (hectares !== undefined) {
        expect(Math.abs((found.hectares ?? 0) - hectares)).toBeLessThan(0.001 * hectares + 0.0005);
      }
      for (const axis of [0, 1]) {
        if (center === undefined) continue;
        expect(found.center?.[axis]).toBeCloseTo(center[axis] ?? Number.NaN, 6);
      }
      const wanted = Object.entries(attributes).map(([key, value]) => [key, value ?? '']);
      expect(wanted.map(([key]) => [key, own[String(key)] ?? ''])).toEqual(wanted);
    });
  });
});
