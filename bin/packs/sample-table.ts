import { CommandError } from '../operator/command.ts';
import type { LonLat } from './covariates-at.ts';

/** A table of samples with its original lines, to which columns are appended. */
export interface SampleTable {
  readonly header: string;
  readonly columns: readonly string[];
  readonly samples: readonly TableSample[];
}

export interface TableSample {
  readonly line: string;
  readonly position: LonLat;
  /** The values of the columns, in their order. */
  readonly fields: readonly string[];
}

/**
 * Parses CSV (RFC 4180) with the columns `lon` and `lat` in WGS84 degrees.
 * @throws Error with the sample, what is wrong and what is allowed
 */
export function readSampleTable(text: string): SampleTable {
  // Spreadsheets write a byte order mark.
  const lines = text.replace(/^\ufeff/, '').split(/\r?\n/);
  const [header = '', ...rows] = lines.filter((line) => line.trim() !== '');
  const columns = fieldsOf(header);
  const [lonAt, latAt] = ['lon', 'lat'].map((name) => columns.indexOf(name));
  if (lonAt === undefined || latAt === undefined || lonAt < 0 || latAt < 0) {
    throw new Error(
      `the header must contain the columns lon and lat (WGS84 degrees), separated by commas; got ${header}`,
    );
  }
  const samples = rows.map((line, i) => {
    const fields = fieldsOf(line);
    const where = `sample ${i + 1}`;
    if (fields.length !== columns.length) {
      throw new Error(`${where} has ${fields.length} fields, the header has ${columns.length}`);
    }
    const position = [
      degrees(fields[lonAt], 180, where),
      degrees(fields[latAt], 90, where),
    ] as const;
    return { line, position, fields };
  });
  return { header, columns, samples };
}

/** The fields of a line. A quoted field may contain commas, and doubled quotes. */
function fieldsOf(line: string): readonly string[] {
  return [...line.matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"|([^,]*))/g)].map(
    ([, quoted, plain]) => quoted?.replaceAll('""', '"') ?? plain?.trim() ?? '',
  );
}

function degrees(field: string | undefined, most: number, where: string): number {
  const value = field === undefined || field === '' ? Number.NaN : Number(field);
  if (Math.abs(value) <= most) return value;
  throw new Error(`${where}: expected degrees within ±${most}, got "${field}"`);
}

/** Index of a column. @throws CommandError with the columns that exist */
export function columnAt({ columns }: SampleTable, name: string): number {
  const at = columns.indexOf(name);
  if (at === -1) {
    throw new CommandError(`the table has no column ${name}; it has ${columns.join(', ')}`, 1);
  }
  return at;
}

/** @param where names the sample and the column in the error */
export function numberIn({ fields }: TableSample, at: number, where: string): number {
  const field = fields[at] ?? '';
  const value = field === '' ? Number.NaN : Number(field);
  if (Number.isFinite(value)) return value;
  throw new CommandError(`${where}: expected a number, got "${field}"`, 1);
}

/** Formats a number for a person, to three digits. */
export function figure(value: number): string {
  return String(Number(value.toPrecision(3)));
}

/** Formats a number for CSV, NaN as an empty field. Nine digits distinguish any two float32 values. */
export function tableCell(value: number): string {
  return Number.isNaN(value) ? '' : String(Number(value.toPrecision(9)));
}
