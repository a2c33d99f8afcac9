type Position = readonly number[];

/** Polygons as GeoJSON has them (RFC 7946), in degrees. */
export type Polygonal =
  | { readonly type: 'Polygon'; readonly coordinates: readonly (readonly Position[])[] }
  | {
      readonly type: 'MultiPolygon';
      readonly coordinates: readonly (readonly (readonly Position[])[])[];
    };

/** What a file says of a field beside its outline. */
export type Attributes = Readonly<Record<string, string | number | boolean>>;

/** A field that its user drew or brought in a file. */
export interface Field {
  /** Unique in this page; not sent. */
  readonly id: string;
  readonly name: string;
  /** Null if its file has none: its job fails. */
  readonly polygon: Polygonal | null;
  /** Of its file; a field that was drawn has none. */
  readonly attributes: Attributes;
}

/** What is known of a field's job, for its colour and its row. */
export interface FieldFault {
  readonly message: string;
  /** Where in the outline; null when it is about the whole field. */
  readonly place: { readonly lon: number; readonly lat: number } | null;
}
