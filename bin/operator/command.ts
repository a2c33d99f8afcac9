import { CommandError } from './command-error.ts';

/**
 * Runs a command; an error becomes one line on stderr and the exit code. An error that the command did
 * not foresee ends with how to see where it comes from.
 * @param name as `npm run` knows it
 */
export async function runCommand(name: string, main: () => Promise<void>): Promise<void> {
  // The SDK's note about future Node versions is not for operators.
  process.env['AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED'] ??= 'true';
  try {
    await main();
  } catch (error) {
    const isForeseen = error instanceof CommandError;
    process.exitCode = isForeseen ? error.exitCode : 1;
    console.error(`${name}: ${error instanceof Error ? error.message : String(error)}`);
    if (isForeseen) return;
    console.error(process.env['DEBUG'] === undefined ? 'DEBUG=1 shows the stack.' : error);
  }
}

/** What a command found or did. */
export interface Result {
  /** For `--json`. */
  readonly data: unknown;
  readonly text: string;
}

export function print({ data, text }: Result, json: boolean): void {
  if (json) printJson(data);
  else console.log(text);
}

export function printJson(value: unknown): void {
  console.log(JSON.stringify(value, null, 2));
}
