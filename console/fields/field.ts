type Position = readonly number[];

/** A GeoJSON Polygon or MultiPolygon (RFC 7946), in degrees. */
export type Polygonal =
  | { readonly type: 'Polygon'; readonly coordinates: readonly (readonly Position[])[] }
  | {
      readonly type: 'MultiPolygon';
      readonly coordinates: readonly (readonly (readonly Position[])[])[];
    };

/** The attributes of a field in its file or batch, as JSON values. */
export type Attributes = Readonly<Record<string, unknown>>;

export interface Field {
  /** Unique in this page; never sent to the service. */
  readonly id: string;
  readonly name: string;
  /** Null if the file has no outline that can be drawn: the job then fails. */
  readonly polygon: Polygonal | null;
  /** An outline that cannot be drawn, as in its file: the service explains what is wrong with it. */
  readonly malformed?: object;
  /** Empty for a drawn field. */
  readonly attributes: Attributes;
}

export interface FieldFault {
  readonly message: string;
  /** Where the outline is at fault; null when the fault is about the whole field. */
  readonly place: { readonly lon: number; readonly lat: number } | null;
}

/** The longest name that the service accepts (`name_characters` of `GET /v1/limits`). */
const NAME_CHARACTERS = 255;

export function parseName(value: unknown): string | null {
  if (!['string', 'number', 'bigint', 'boolean'].includes(typeof value)) return null;
  const name = String(value).trim();
  return name === '' ? null : shortenName(name);
}

/** Replaces lone surrogates, which UTF-8 cannot express, and cuts the name without creating new ones. */
function shortenName(name: string): string {
  // A character beyond U+FFFF takes two code units of a string.
  const characters = [...name.slice(0, 2 * NAME_CHARACTERS)].slice(0, NAME_CHARACTERS);
  return characters.join('').replace(/\p{Surrogate}/gu, '\uFFFD');
}
