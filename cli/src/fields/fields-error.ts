export type FieldsProblem =
  | 'not-found'
  | 'too-large'
  | 'unknown-format'
  | 'damaged'
  | 'choose-layer'
  | 'no-crs'
  | 'unknown-crs'
  | 'wrong-crs'
  | 'encoding'
  | 'no-fields'
  | 'not-polygons'
  | 'bad-coordinates';

/** Why a file of fields can't be used: one sentence, meant for the user. */
export class FieldsError extends Error {
  override readonly name = 'FieldsError';

  constructor(
    readonly problem: FieldsProblem,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}
