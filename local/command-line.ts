import { type ParseArgsConfig, parseArgs } from 'node:util';

/** What the caller did wrong, in words for them. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** @throws UsageError for an option there is not, and for any word that is no option */
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
    throw new UsageError(`${what} (options: ${known.join(', ')})`);
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

/** Runs a command; what it throws becomes one line on stderr and its exit code. */
export function runCommand(name: string, main: () => Promise<void>): void {
  main().catch((error: unknown) => {
    console.error(error instanceof Error ? `${name}: ${error.message}` : error);
    process.exitCode = error instanceof UsageError ? 2 : 1;
  });
}
