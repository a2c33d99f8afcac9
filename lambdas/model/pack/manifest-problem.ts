/** Something wrong with one member of a manifest, e.g. `covariates[2].href`. */
export interface ManifestProblem {
  readonly member: string;
  readonly message: string;
  /** Whether it may be well in a moment, or elsewhere: a file at an address did not answer. */
  readonly passing?: boolean;
}
