import { type ParseArgsConfig, parseArgs } from 'node:util';
import { CommandError } from '../bin/operator/command-error.ts';

/** @throws CommandError for an option there is not, and for any word that is no option */
export function readOptions<const Options extends NonNullable<ParseArgsConfig['options']>>(
  options: Options,
  args: readonly string[] = process.argv.slice(2),
) {
  try {
    return parseArgs({ args: [...args], options }).values;
  } catch (error) {
    // Node adds advice about positional arguments, which no command here has.
    const [what = ''] = (error instanceof Error ? error.message : String(error)).split('. ');
    const known = Object.keys(options).map((name) => `--${name}`);
    throw new CommandError(`${what} (options: ${known.join(', ')})`);
  }
}

/** Steps and notes: with `--json` they go to stderr, so that stdout holds the answer alone. */
export function narrator(json: boolean | undefined): (line: string) => void {
  return json === true ? console.error : console.log;
}

/** A step, after the seconds that have gone by. */
export function stepLine(startedAt: number, step: string): string {
  return `${((Date.now() - startedAt) / 1_000).toFixed(0).padStart(4)} s  ${step}`;
}
