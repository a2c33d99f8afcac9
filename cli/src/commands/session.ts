import type { SoilClient } from 'soil-batch-client';
import type { ConnectionFile } from '../config/config.ts';
import type { Streams, Terminal } from '../terminal/terminal.ts';

/** What the CLI sees of its process. */
export interface Host extends Streams {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Relative paths on the command line start here. */
  readonly cwd: string;
  /** Aborted by Ctrl-C. */
  readonly signal: AbortSignal;
  /** The service of a clone. */
  readonly fallback: ConnectionFile | undefined;
}

/** Options of every command. */
export interface CommonOptions {
  readonly baseUrl?: string;
  readonly json?: boolean;
}

/** The configured service. */
export interface Service {
  readonly baseUrl: string;
  readonly client: SoilClient;
  /** The service's time in milliseconds. */
  readonly now: () => number;
}

/** One command while it runs. */
export interface Session extends Host {
  readonly terminal: Terminal;
  /** @throws CliError if no service or key is configured */
  connect(): Promise<Service>;
}
