import { type ParseArgsConfig, parseArgs } from 'node:util';
import { CommandError } from '../bin/operator/command.ts';

/** @throws CommandError for an unknown option and for a positional argument */
export function readOptions<const Options extends NonNullable<ParseArgsConfig['options']>>(
  options: Options,
  args: readonly string[] = process.argv.slice(2),
) {
  try {
    return parseArgs({ args: [...args], options }).values;
  } catch (error) {
    // Node adds advice about positional arguments, which no command here accepts.
    const [problem = ''] = (error instanceof Error ? error.message : String(error)).split('. ');
    const known = Object.keys(options).map((name) => `--${name}`);
    throw new CommandError(`${problem} (options: ${known.join(', ')})`);
  }
}

/** Prints progress; with `--json` on stderr, so that stdout contains only the JSON. */
export function createProgressPrinter(json: boolean | undefined): (line: string) => void {
  return json === true ? console.error : console.log;
}

/** A line with the elapsed seconds and the step. */
export function formatStep(startedAt: number, step: string): string {
  return `${((Date.now() - startedAt) / 1_000).toFixed(0).padStart(4)} s  ${step}`;
}
