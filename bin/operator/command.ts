import { messageOf } from '../../engine/errors/message-of.ts';

/** An expected failure, with a message for the command's user. */
export class CommandError extends Error {
  override readonly name = 'CommandError';
  readonly exitCode: 1 | 2;

  constructor(message: string, exitCode: 1 | 2 = 2) {
    super(message);
    this.exitCode = exitCode;
  }
}

/**
 * Runs a command. If it fails, prints the error's message to stderr and sets the exit code; after an unexpected error,
 * also prints the stack or how to show it.
 * @param name the script's name for `npm run`
 * @param unexpected the exit code after an unexpected error
 */
export async function runCommand(
  name: string,
  main: () => Promise<void>,
  unexpected: 1 | 2 = 1,
): Promise<void> {
  // The SDK's warning about future Node versions does not help operators.
  process.env['AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED'] ??= 'true';
  try {
    await main();
  } catch (error) {
    const isExpected = error instanceof CommandError;
    process.exitCode = isExpected ? error.exitCode : unexpected;
    const message = messageOf(error);
    console.error(`${name}: ${message.split('\n').map(escapeControls).join('\n')}`);
    if (isExpected) return;
    console.error(process.env['DEBUG'] === undefined ? 'DEBUG=1 shows the stack.' : error);
  }
}

export interface Result {
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

export function alignColumns(rows: readonly (readonly string[])[]): readonly string[] {
  const widths = (rows[0] ?? []).map((_, i) => Math.max(...rows.map((row) => row[i]?.length ?? 0)));
  return rows.map((row) =>
    row
      .map((cell, i) => cell.padEnd(widths[i] ?? 0))
      .join('   ')
      .trimEnd(),
  );
}

/**
 * Control characters (C0, DEL, C1), invisible format characters and line separators. In file names and in texts from a
 * server they could move the cursor, change a terminal's title or reverse text
 * (https://unicode.org/reports/tr36/#Bidirectional_Text_Spoofing).
 */
const UNPRINTABLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]|\p{Surrogate}/gu;

/** Returns the text as one line, with each unprintable character written as `\u` and its UTF-16 code units. */
export function escapeControls(text: string): string {
  return text.replace(UNPRINTABLE, (character) => escapeCharacter(character));
}

function escapeCharacter(character: string): string {
  return Array.from({ length: character.length }, (_, i) => {
    const unit = character.charCodeAt(i).toString(16).padStart(4, '0');
    return `\\u${unit}`;
  }).join('');
}
