import { createHash } from 'node:crypto';
import { fileNames } from 'soil-batch-client';
import { usageError } from '../exit-code.ts';
import type { Field, FieldCollection } from '../fields/field-collection.ts';
import { asName } from '../fields/rules/names.ts';

/** One field and year of a run. */
export interface RunJob {
  /** Position in the run, from 0. */
  readonly index: number;
  readonly field: Field;
  /** Hash of polygon and year: the same model predicts the same for jobs of the same key. */
  readonly key: string;
  readonly name: string;
  readonly year: number;
  /** Plain file name of its raster. */
  readonly file: string;
}

/**
 * Every year of the first field, then of the second, and so on.
 * @param files of the jobs, if they have names already
 */
export function jobsOf(
  fields: readonly Field[],
  years: readonly number[],
  nameField: string | null,
  files?: readonly string[],
): readonly RunJob[] {
  const digits = String(fields.length).length;
  const jobs = fields.flatMap((field, fieldIndex) => {
    const name =
      nameOf(field, nameField) ?? `field-${String(fieldIndex + 1).padStart(digits, '0')}`;
    const geometry = JSON.stringify(field.geometry);
    return years.map((year) => ({ field, key: keyOf(geometry, year), name, year }));
  });
  const names = files ?? fileNames(jobs);
  return jobs.map((job, index) => ({ ...job, index, file: names[index] ?? '' }));
}

/** 128 bits: two polygons of a run never have the same. */
const KEY_CHARACTERS = 32;

function keyOf(geometry: string, year: number): string {
  const hash = createHash('sha256').update(`${year} ${geometry}`).digest('hex');
  return hash.slice(0, KEY_CHARACTERS);
}

/** What `--name-field` can be. */
export function attributeNames({ attributes, features }: FieldCollection): readonly string[] {
  const declared = attributes?.map(({ name }) => name);
  return declared ?? [...new Set(features.flatMap(({ properties }) => Object.keys(properties)))];
}

/** @throws CliError if no field has the attribute */
export function requireAttribute(fields: FieldCollection, name: string): void {
  const names = attributeNames(fields);
  if (names.includes(name)) return;
  throw usageError(
    `the fields have no attribute ${name}; --name-field can be one of: ${names.join(', ')}`,
  );
}

/** Null if the attribute is absent or empty. */
function nameOf({ properties }: Field, nameField: string | null): string | null {
  if (nameField === null || !Object.hasOwn(properties, nameField)) return null;
  return asName(properties[nameField]);
}
