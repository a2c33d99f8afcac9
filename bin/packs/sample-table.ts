import type { LonLat } from './covariates-at.ts';

/** A table of samples as it came: its lines stay as they are, and columns are added at their end. */
export interface SampleTable {
  readonly header: string;
  readonly columns: readonly string[];
  readonly samples: readonly { readonly line: string; readonly place: LonLat }[];
}

/**
 * Reads CSV (RFC 4180) whose header names `lon` and `lat`, WGS84 degrees.
 * @throws Error that names the line, what is wrong with it and what is allowed
 */
export function readSampleTable(text: string): SampleTable {
  // A byte order mark is what spreadsheets begin a file with.
  const lines = text.replace(/^\ufeff/, '').split(/\r?\n/);
  const [header = '', ...rows] = lines.filter((line) => line.trim() !== '');
  const columns = fieldsOf(header);
  const [lonAt, latAt] = ['lon', 'lat'].map((name) => columns.indexOf(name));
  if (lonAt === undefined || latAt === undefined || lonAt < 0 || latAt < 0) {
    throw new Error(
      `its header must name the columns lon and lat (WGS84 degrees), by commas: ${header}`,
    );
  }
  const samples = rows.map((line, i) => {
    const fields = fieldsOf(line);
    const where = `sample ${i + 1}`;
    if (fields.length !== columns.length) {
      throw new Error(`${where} has ${fields.length} fields, the header ${columns.length}`);
    }
    const place = [degrees(fields[lonAt], 180, where), degrees(fields[latAt], 90, where)] as const;
    return { line, place };
  });
  return { header, columns, samples };
}

/** Of one line: a field in quotes may hold commas, and quotes twice. */
function fieldsOf(line: string): readonly string[] {
  return [...line.matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"|([^,]*))/g)].map(
    ([, quoted, plain]) => quoted?.replaceAll('""', '"') ?? plain?.trim() ?? '',
  );
}

function degrees(field: string | undefined, most: number, where: string): number {
  const value = field === undefined || field === '' ? Number.NaN : Number(field);
  if (Math.abs(value) <= most) return value;
  throw new Error(`${where} has "${field}" where degrees within ±${most} are wanted`);
}
