import { UsageError } from '../operator/usage-error.ts';

/** Runs a command about a pack, and tells what went wrong in one line. */
export function runPackCommand(name: string, main: () => Promise<void>): void {
  main().catch((error: unknown) => {
    console.error(error instanceof Error ? `${name}: ${error.message}` : error);
    process.exitCode = error instanceof UsageError ? 2 : 1;
  });
}

/** A number in a table; nothing for none. Nine digits tell any two float32 apart. */
export function tableCell(value: number): string {
  return Number.isNaN(value) ? '' : String(Number(value.toPrecision(9)));
}
