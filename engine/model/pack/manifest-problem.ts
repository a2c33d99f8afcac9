/** A problem with one field of a manifest, e.g. `covariates[2].href`. */
export interface ManifestProblem {
  readonly field: string;
  readonly message: string;
  /** Whether a later attempt, or one from another host, may succeed: a remote file was unavailable. */
  readonly transient?: boolean;
}
