type Position = readonly number[];

/** Polygons as GeoJSON has them (RFC 7946), in degrees. */
export type Polygonal =
  | { readonly type: 'Polygon'; readonly coordinates: readonly (readonly Position[])[] }
  | {
      readonly type: 'MultiPolygon';
      readonly coordinates: readonly (readonly (readonly Position[])[])[];
    };

/** What a file or a batch says about a field besides its outline, as JSON values. */
export type Attributes = Readonly<Record<string, unknown>>;

/** A field that its user drew or brought in a file. */
export interface Field {
  /** Unique in this page; not sent. */
  readonly id: string;
  readonly name: string;
  /** It is null if its file has none that can be drawn: its job then fails. */
  readonly polygon: Polygonal | null;
  /** An outline that cannot be drawn, as its file has it: the service says what is wrong with it. */
  readonly malformed?: object;
  /** What its file says of it; a field that was drawn has none. */
  readonly attributes: Attributes;
}

/** What is known of a field's job, for its colour and its row. */
export interface FieldFault {
  readonly message: string;
  /** The place in the outline; null when the fault is about the whole field. */
  readonly place: { readonly lon: number; readonly lat: number } | null;
}

/** The longest name that the service accepts (`name_characters` of `GET /v1/limits`). */
const NAME_CHARACTERS = 255;

/** A value of an attribute as the name of a field; null if the value cannot be one. */
export function parseName(value: unknown): string | null {
  if (!['string', 'number', 'bigint', 'boolean'].includes(typeof value)) return null;
  const name = String(value).trim();
  return name === '' ? null : shortened(name);
}

/** A file may contain lone surrogates, which UTF-8 can't express; the cut makes no new ones. */
function shortened(name: string): string {
  // A character beyond the first 65,536 takes two places of a string.
  const characters = [...name.slice(0, 2 * NAME_CHARACTERS)].slice(0, NAME_CHARACTERS);
  return characters.join('').replace(/\p{Surrogate}/gu, '\uFFFD');
}
