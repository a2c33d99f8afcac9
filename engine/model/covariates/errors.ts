/** A covariate, by its name in the manifest, can't be read. `reason` is meant for the pack's author. */
export class CovariateUnavailable extends Error {
  override readonly name = 'CovariateUnavailable';
  readonly covariate: string;
  readonly reason: string;

  constructor(covariate: string, reason: string, options?: ErrorOptions) {
    super(`covariate "${covariate}" is unavailable: ${reason}`, options);
    this.covariate = covariate;
    this.reason = reason;
  }
}
