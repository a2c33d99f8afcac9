/** A failure that the command expects, with a message for its user. */
export class CommandError extends Error {
  override readonly name = 'CommandError';
  /** 2 if the command line is invalid. */
  readonly exitCode: 1 | 2;

  constructor(message: string, exitCode: 1 | 2 = 2) {
    super(message);
    this.exitCode = exitCode;
  }
}
