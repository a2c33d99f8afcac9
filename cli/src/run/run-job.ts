import { fileNames } from 'soil-batch-client';
import { usageError } from '../exit-code.ts';
import type { Field, FieldCollection } from '../fields/field-collection.ts';

/** The longest name that the service accepts (`name_characters` of `GET /v1/limits`). */
const NAME_CHARACTERS = 255;

/** One field and year of a run. */
export interface RunJob {
  /** Position in the run, from 0. */
  readonly index: number;
  readonly field: Field;
  /** Position of the field in its file, from 0. */
  readonly fieldIndex: number;
  readonly name: string;
  readonly year: number;
  /** Plain file name of its raster. */
  readonly file: string;
}

/** Every year of the first field, then of the second, and so on. */
export function jobsOf(
  fields: readonly Field[],
  years: readonly number[],
  nameField: string | null,
): readonly RunJob[] {
  const digits = String(fields.length).length;
  const jobs = fields.flatMap((field, fieldIndex) => {
    const name =
      nameOf(field, nameField) ?? `field-${String(fieldIndex + 1).padStart(digits, '0')}`;
    return years.map((year) => ({ field, fieldIndex, name, year }));
  });
  const files = fileNames(jobs);
  return jobs.map((job, index) => ({ ...job, index, file: files[index] ?? '' }));
}

/** @throws CliError if no field has the attribute */
export function requireAttribute({ attributes, features }: FieldCollection, name: string): void {
  const names = attributes?.map((attribute) => attribute.name) ?? [
    ...new Set(features.flatMap(({ properties }) => Object.keys(properties))),
  ];
  if (names.includes(name)) return;
  throw usageError(
    `the fields have no attribute ${name}; --name-field can be one of: ${names.join(', ')}`,
  );
}

/** Null if the attribute is absent or empty. */
function nameOf({ properties }: Field, nameField: string | null): string | null {
  if (nameField === null || !Object.hasOwn(properties, nameField)) return null;
  const value = properties[nameField];
  const isName = ['string', 'number', 'bigint', 'boolean'].includes(typeof value);
  const name = isName ? String(value).trim() : '';
  // Half a character, which UTF-8 can't express, may be in the file or left by the cut.
  return name === '' ? null : name.slice(0, NAME_CHARACTERS).replace(/\p{Surrogate}/gu, '\uFFFD');
}
