/** What the user says about a file, as far as it does not say so itself. */
export interface ReadOptions {
  /** The layer to read, if the file has several. */
  readonly layer?: string | null | undefined;
  /** EPSG code of the file's coordinate reference system, if it names none. */
  readonly crs?: number | null | undefined;
}
