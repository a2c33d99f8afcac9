import type { Command, Option } from 'commander';
import type { ExitCode } from '../exit-code.ts';
import type { Session } from './session.ts';

/** A command of the CLI: how it is called, and what it does. */
export interface CommandSpec {
  /** Name and arguments, as in `run <file>`. */
  readonly usage: string;
  readonly summary: string;
  /** What each argument is. */
  readonly parameters: Readonly<Record<string, string>>;
  /** The options of a command line that works, without the program's name. */
  readonly example: string;
  readonly options: readonly Option[];
  /** Reads the parsed options of its command. */
  readonly action: (session: Session, command: Command) => Promise<ExitCode>;
}
