export type Position = readonly [longitude: number, latitude: number];
export type Rings = readonly (readonly Position[])[];

export type FieldGeometry =
  | { readonly type: 'Polygon'; readonly coordinates: Rings }
  | { readonly type: 'MultiPolygon'; readonly coordinates: readonly Rings[] };

/** A field as GeoJSON (RFC 7946): WGS 84, two dimensions. */
export interface Field {
  readonly type: 'Feature';
  /** Null if the file has none, or an empty one: the service fails the job. */
  readonly geometry: FieldGeometry | null;
  readonly properties: Readonly<Record<string, unknown>>;
}

export type FieldFormat = 'GeoJSON' | 'GeoPackage' | 'Shapefile' | 'FlatGeobuf' | 'KML' | 'CSV';

export interface CoordinateReferenceSystem {
  /** Such as `EPSG:28992`; null if the file defines a system without a code. */
  readonly code: string | null;
  readonly name: string;
  /** Its definition, as GDAL reads it; absent for WGS 84. */
  readonly wkt?: string;
}

/** An attribute as GDAL lists it, so that tables made from the fields keep its type. */
export interface Attribute {
  readonly name: string;
  /** `Integer`, `Integer64`, `Real`, `String`, `Date`, `DateTime`, … */
  readonly type: string;
  /** `Boolean`, `Float32`, `JSON`, …; null if it has none. */
  readonly subtype: string | null;
}

/** The fields of a file, in the order of the file. There is at least one. */
export interface FieldCollection {
  readonly format: FieldFormat;
  /** Null for GeoJSON and CSV, which have no layers. */
  readonly layer: string | null;
  /** The system of the file; the fields themselves are in WGS 84. */
  readonly crs: CoordinateReferenceSystem;
  /** Null for GeoJSON, which declares none. */
  readonly attributes: readonly Attribute[] | null;
  readonly features: readonly Field[];
  /** What the user should know about the conversion, a sentence each. */
  readonly notes: readonly string[];
}
