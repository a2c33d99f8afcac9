import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  closeSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { LOCAL_FOLDER, PROJECT_FOLDER } from '../paths.ts';

const HOST = '127.0.0.1';
const PYTHON = path.join(LOCAL_FOLDER, 'venv', 'bin', 'python');
const LAUNCHER = path.join(PROJECT_FOLDER, 'local', 'emulator', 'run_ministack.py');

const HEALTH_DEADLINE_MS = 60_000;
const HEALTH_POLL_MS = 100;
const STOP_DEADLINE_MS = 5_000;
const LOG_LINES_SHOWN = 20;

/** Something else listens on the port the emulator was to have. */
export class PortInUse extends Error {
  override readonly name = 'PortInUse';
  constructor(readonly port: number) {
    super(`port ${port} on ${HOST} is in use`);
  }
}

/** Of the emulator to start. */
export interface EmulatorOptions {
  /**
   * Port on 127.0.0.1 to listen on.
   * @default a free one
   */
  readonly port?: number;
  /**
   * Variables that every function finds beside its own.
   * @default none
   */
  readonly environment?: Readonly<Record<string, string>>;
  /**
   * Python scripts to run inside the emulator before it starts.
   * @default none
   */
  readonly extensions?: readonly string[];
}

/** MiniStack as it was started here. */
export interface MiniStack {
  readonly endpointUrl: string;
  readonly logFile: string;
  readonly processId: number | undefined;
  stop(): Promise<void>;
}

/**
 * Starts MiniStack with empty state and IAM enforced, and waits until it answers.
 *
 * @throws PortInUse
 */
export async function startMiniStack(options: EmulatorOptions): Promise<MiniStack> {
  const { extensions = [] } = options;
  if (!existsSync(PYTHON)) throw new Error('The emulator is not installed: run "npm run setup".');
  const port = await claimPort(options.port);
  const logFile = path.join(LOCAL_FOLDER, 'emulator', `${port}.log`);
  mkdirSync(path.dirname(logFile), { recursive: true });
  // Functions are unpacked here. Below the clone they would find its node_modules and package.json,
  // which hides what their bundles lack.
  const folder = mkdtempSync(path.join(tmpdir(), 'soil-batch-emulator-'));

  const endpointUrl = `http://${HOST}:${port}`;
  const log = openSync(logFile, 'w');
  const child = spawn(PYTHON, [LAUNCHER, ...extensions], {
    cwd: folder,
    env: { ...options.environment, ...environment(port, folder) },
    // Closing this pipe, on purpose or by dying, ends the emulator (see run_ministack.py).
    stdio: ['pipe', log, log],
    detached: true,
  });
  closeSync(log);
  const stop = async () => {
    await stopGroup(child);
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    await untilHealthy(child, endpointUrl, logFile);
  } catch (error) {
    await stop();
    throw error;
  }
  return { endpointUrl, logFile, processId: child.pid, stop };
}

/**
 * MiniStack hands its own environment to every function it runs, so it gets nothing that it does not
 * need: no AWS_ENDPOINT_URL (functions would be sent there), no credentials, no proxy.
 */
function environment(port: number, folder: string): Record<string, string> {
  return {
    PATH: process.env['PATH'] ?? '',
    HOME: folder,
    LANG: 'C.UTF-8',
    TZ: 'UTC',
    TMPDIR: folder,
    GATEWAY_PORT: String(port),
    // Presigned and callback addresses carry this host; "localhost" may resolve to ::1 first.
    MINISTACK_HOST: HOST,
    BIND_HOST: HOST,
    AUTH: 'true',
    IOT_MTLS_ENABLED: '0',
    PYTHONUNBUFFERED: '1',
    PYTHONDONTWRITEBYTECODE: '1',
    // Functions run on this machine's Node, whatever runtime they are deployed with.
    AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED: 'true',
  };
}

/** Binds the port for a moment: MiniStack itself would only find out after its slow start. */
async function claimPort(wanted = 0): Promise<number> {
  const server = createServer();
  try {
    server.listen({ port: wanted, host: HOST, exclusive: true });
    await once(server, 'listening');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EADDRINUSE') {
      throw new PortInUse(wanted);
    }
    throw error;
  }
  const address = server.address();
  server.close();
  await once(server, 'close');
  if (address === null || typeof address === 'string') throw new Error('no port was given');
  return address.port;
}

async function untilHealthy(
  child: ChildProcess,
  endpointUrl: string,
  logFile: string,
): Promise<void> {
  const deadline = Date.now() + HEALTH_DEADLINE_MS;
  while (Date.now() < deadline) {
    if (child.exitCode !== null || child.signalCode !== null) break;
    const answer = await fetch(`${endpointUrl}/_ministack/health`).catch(() => undefined);
    if (answer?.ok) return;
    await sleep(HEALTH_POLL_MS);
  }
  const lines = readFileSync(logFile, 'utf8').trimEnd().split('\n').slice(-LOG_LINES_SHOWN);
  throw new Error(`The emulator did not start; the end of ${logFile}:\n${lines.join('\n')}`);
}

/** Ends the emulator with every function process it started: they share its process group. */
async function stopGroup(child: ChildProcess): Promise<void> {
  const { pid } = child;
  if (pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  const gone = once(child, 'exit');
  process.kill(-pid, 'SIGTERM');
  const deadline = new AbortController();
  await Promise.race([
    gone,
    sleep(STOP_DEADLINE_MS, undefined, { signal: deadline.signal }).catch(() => {}),
  ]);
  deadline.abort();
  try {
    process.kill(-pid, 'SIGKILL');
  } catch (error) {
    const groupIsGone = error instanceof Error && 'code' in error && error.code === 'ESRCH';
    if (!groupIsGone) throw error;
  }
}
