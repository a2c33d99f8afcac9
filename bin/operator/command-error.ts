/** Why a command can't do its work, in words for its caller. */
export class CommandError extends Error {
  override readonly name = 'CommandError';
  /** 2 when the command line is wrong. */
  readonly exitCode: 1 | 2;

  constructor(message: string, exitCode: 1 | 2 = 2) {
    super(message);
    this.exitCode = exitCode;
  }
}
