/** What the process returns to its shell. */
export const EXIT = {
  complete: 0,
  error: 1,
  usage: 2,
  /** Some jobs failed; the rest is complete. */
  partial: 3,
  /** The quota of today is used up; the same command continues tomorrow. */
  quota: 4,
  /** 128 + SIGINT, as shells report it. */
  interrupted: 130,
} as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** A failure that the CLI expects, with a message of one sentence for its user. */
export class CliError extends Error {
  override readonly name = 'CliError';
  readonly exitCode: ExitCode;

  constructor(message: string, exitCode: ExitCode = EXIT.error) {
    super(message);
    this.exitCode = exitCode;
  }
}

/** The command line or the configuration is wrong. */
export function usageError(message: string): CliError {
  return new CliError(message, EXIT.usage);
}
