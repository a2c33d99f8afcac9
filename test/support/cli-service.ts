import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { IncomingMessage, Server } from 'node:http';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { runCli } from '../../cli/src/commands/program.ts';
import type { Clock } from '../../lambdas/domain/clock.ts';
import { newApiKey } from '../../lambdas/domain/tenant/api-key.ts';
import type { TenantLimits } from '../../lambdas/domain/tenant/tenant.ts';
import { stageConfig } from '../../lib/config/each-stage.ts';
import { startDevServer } from '../../local/dev/server.ts';
import { programOf } from './program.ts';

/** The in-memory service, and what it was asked for. */
export interface CliService {
  readonly url: string;
  readonly apiKey: string;
  /** Method and path of each request so far. */
  readonly requests: readonly string[];
  readonly server: Server;
  close(): Promise<void>;
}

export interface CliServiceOptions {
  readonly limits?: Partial<TenantLimits>;
  readonly clock?: Clock;
}

export async function startCliService(options: CliServiceOptions = {}): Promise<CliService> {
  const apiKey = newApiKey();
  const { url, server } = await startDevServer({
    port: 0,
    config: stageConfig('local'),
    version: '0.0.0',
    apiKey,
    write: () => {},
    onFault: (_, error) => console.error(error),
    ...options,
  });
  const requests: string[] = [];
  server.prependListener('request', ({ method, url: target = '' }: IncomingMessage) => {
    requests.push(`${method} ${target.split('?')[0]}`);
  });
  const close = async () => {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  };
  return { url, apiKey, requests, server, close };
}

export interface CliResult {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface CliCall {
  readonly service?: Pick<CliService, 'url' | 'apiKey'>;
  readonly env?: NodeJS.ProcessEnv;
  readonly cwd?: string;
}

const PROGRAM = await programOf('local/cli.ts');

/** Starts the CLI as its user does, with an empty home folder. */
export function startCli(args: readonly string[], call: CliCall): ChildProcess {
  const { PATH } = process.env;
  const { env, cwd } = call;
  return spawn(process.execPath, [PROGRAM, ...args], {
    env: {
      ...{ PATH, HOME: '/nonexistent' },
      ...{ ...connectionOf(call), ...env },
    },
    ...(cwd === undefined ? {} : { cwd }),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}

export async function cli(args: readonly string[], call: CliCall): Promise<CliResult> {
  return finished(startCli(args, call));
}

/** The same within this process, for command lines that need no process of their own. */
export async function cliHere(args: readonly string[], call: CliCall): Promise<CliResult> {
  const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()];
  const code = await runCli(args, {
    ...{ stdin: stdin.end(), stdout, stderr },
    env: { HOME: '/nonexistent', ...connectionOf(call), ...call.env },
    cwd: call.cwd ?? process.cwd(),
    signal: new AbortController().signal,
    fallback: undefined,
  });
  const [out, err] = [text(stdout), text(stderr)];
  stdout.end();
  stderr.end();
  return { code, stdout: await out, stderr: await err };
}

function connectionOf({ service }: CliCall): NodeJS.ProcessEnv {
  if (service === undefined) return {};
  return { SOIL_BASE_URL: service.url, SOIL_API_KEY: service.apiKey };
}

export async function finished(child: ChildProcess): Promise<CliResult> {
  if (child.stdout === null || child.stderr === null) throw new Error('the CLI has no output');
  const [stdout, stderr] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    child.exitCode === null && child.signalCode === null ? once(child, 'exit') : undefined,
  ]);
  return { code: child.exitCode, stdout, stderr };
}

/** The lines of `--json`. */
export function eventsOf({ stdout }: CliResult): readonly Record<string, unknown>[] {
  return stdout
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));
}
