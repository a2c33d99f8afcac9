import type { Host } from './commands/session.ts';
import type { ConnectionFile } from './config/config.ts';
import { EXIT } from './exit-code.ts';

/** This process. The first Ctrl-C ends the command in order, the second at once. */
export function processHost(fallback: ConnectionFile | undefined): Host {
  const interruption = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.on(signal, () => {
      if (interruption.signal.aborted) process.exit(EXIT.interrupted);
      interruption.abort();
    });
  }
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    // The reader of the output has ended, as in `soil-batch list | head -1`.
    if (error.code === 'EPIPE') process.exit(EXIT.complete);
    throw error;
  });
  const { stdin, stdout, stderr, env } = process;
  return { stdin, stdout, stderr, env, cwd: process.cwd(), signal: interruption.signal, fallback };
}
