import { type ParseArgsConfig, parseArgs } from 'node:util';
import { CommandError } from '../bin/operator/command.ts';
import { messageOf } from '../engine/errors/message-of.ts';

/** @throws CommandError for an unknown option or a positional argument */
export function readOptions<const Options extends NonNullable<ParseArgsConfig['options']>>(
  options: Options,
  args: readonly string[] = process.argv.slice(2),
) {
  try {
    return parseArgs({ args: [...args], options }).values;
  } catch (error) {
    // Node appends advice about positional arguments, which no command here accepts.
    const [problem = ''] = messageOf(error).split('. ');
    const known = Object.keys(options).map((name) => `--${name}`);
    throw new CommandError(`${problem} (options: ${known.join(', ')})`);
  }
}

/** With `--json` progress goes to stderr, so that stdout contains only the JSON. */
export function createProgressPrinter(json: boolean | undefined): (line: string) => void {
  return json === true ? console.error : console.log;
}

/** @throws CommandError */
export function parsePort(text: string, least: 0 | 1): number {
  const port = Number(text);
  if (Number.isInteger(port) && port >= least && port <= 65_535) return port;
  const from = least === 0 ? '0 (any free port)' : '1';
  throw new CommandError(`--port must be a number from ${from} to 65535; got ${text}`);
}

export function formatStep(startedAt: number, step: string): string {
  return `${((Date.now() - startedAt) / 1_000).toFixed(0).padStart(4)} s  ${step}`;
}
