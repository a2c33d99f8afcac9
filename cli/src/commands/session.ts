import { SoilClient, SoilError } from 'soil-batch-client';
import { type ConnectionFile, findConnection } from '../config/config.ts';
import { CliError } from '../exit-code.ts';
import { serviceClock } from '../run/service-clock.ts';
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
  /** Of the commands that work on a run. */
  readonly quiet?: boolean;
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
  /** Warnings that it has shown: each is shown once. */
  readonly told: Set<string>;
  /** @throws CliError if no service or key is configured */
  connect(): Promise<Service>;
}

/** Shorter waits are not worth a line. */
const NOTED_SECONDS = 2;

/** A wrong URL is reported at once; later requests are sent again for minutes. */
const FIRST_RETRIES = { attempts: 2 };

/**
 * The configured service.
 * @throws CliError if none is configured, or the URL is not that of a service
 */
export async function connect(
  { env, fallback, signal }: Host,
  terminal: Terminal,
  options: CommonOptions,
): Promise<Service> {
  const sources = { env, baseUrl: options.baseUrl, fallback };
  const { baseUrl, apiKey } = await findConnection(sources, (file) =>
    terminal.note(`Using the local service of ${file}.`),
  );
  const { fetch, now } = serviceClock(baseUrl);
  try {
    await new SoilClient({ baseUrl, apiKey, fetch, retries: FIRST_RETRIES }).health({ signal });
  } catch (error) {
    if (error instanceof SoilError) throw unreachable(baseUrl, error);
    throw error;
  }
  const client = new SoilClient({
    baseUrl,
    apiKey,
    fetch,
    onWait: ({ seconds, error }) => {
      if (seconds < NOTED_SECONDS) return;
      terminal.note(`Waiting ${Math.ceil(seconds)} s: ${error.message}`);
    },
  });
  return { baseUrl, client, now };
}

function unreachable(baseUrl: string, { type, message }: SoilError): CliError {
  const isOther = type === 'not-the-service' || type === 'not-found';
  const problem = isOther ? 'is not a Soil Batch service' : 'cannot be reached';
  return new CliError(`${baseUrl} ${problem}: ${message}`);
}
