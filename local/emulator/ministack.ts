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
/**
 * The host of result URLs. It is a different origin from the API's, like S3 on AWS, so that redirects, CORS and content
 * policies are tested across origins. Where the name resolves to ::1 first, clients fail to connect there, and then try
 * 127.0.0.1.
 */
const RESULTS_HOST = 'localhost';
const PYTHON = path.join(LOCAL_FOLDER, 'venv', 'bin', 'python');
const LAUNCHER = path.join(PROJECT_FOLDER, 'local', 'emulator', 'run_ministack.py');

const HEALTH_DEADLINE_MS = 60_000;
const HEALTH_POLL_MS = 100;
const STOP_DEADLINE_MS = 5_000;
const LOG_LINES_SHOWN = 20;

export class PortInUse extends Error {
  override readonly name = 'PortInUse';
  constructor(readonly port: number) {
    super(`port ${port} on ${HOST} is in use`);
  }
}

export interface EmulatorOptions {
  /** The port on 127.0.0.1. @default a free port */
  readonly port?: number;
  /** Additional environment variables of every function. @default none */
  readonly environment?: Readonly<Record<string, string>>;
  /** Python scripts that run in the emulator's process before it starts. @default none */
  readonly extensions?: readonly string[];
}

export interface MiniStack {
  readonly endpointUrl: string;
  readonly logFile: string;
  readonly processId: number | undefined;
  stop(): Promise<void>;
}

/** Starts MiniStack with empty state and IAM enforced, and waits until it is healthy. @throws PortInUse */
export async function startMiniStack(options: EmulatorOptions): Promise<MiniStack> {
  const { extensions = [] } = options;
  if (!existsSync(PYTHON)) throw new Error('The emulator is not installed: run "npm run setup".');
  const port = await findPort(options.port);
  const logFile = path.join(LOCAL_FOLDER, 'emulator', `${port}.log`);
  mkdirSync(path.dirname(logFile), { recursive: true });
  // Functions are unpacked in this folder outside the clone. Inside the clone Node would find its node_modules and
  // package.json, and a file that is missing from a bundle would go unnoticed.
  const folder = mkdtempSync(path.join(tmpdir(), 'soil-batch-emulator-'));

  const endpointUrl = `http://${HOST}:${port}`;
  const log = openSync(logFile, 'w');
  const child = spawn(PYTHON, [LAUNCHER, ...extensions], {
    cwd: folder,
    env: { ...options.environment, ...buildEnvironment(port, folder) },
    // When this process closes the pipe or ends, the emulator ends (see run_ministack.py).
    stdio: ['pipe', log, log],
    detached: true,
  });
  closeSync(log);
  const stop = async () => {
    await stopGroup(child);
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    await waitUntilHealthy(child, endpointUrl, logFile);
  } catch (error) {
    await stop();
    throw error;
  }
  return { endpointUrl, logFile, processId: child.pid, stop };
}

/**
 * Builds a minimal environment, because MiniStack passes its environment to every function. The environment contains no
 * AWS_ENDPOINT_URL, which functions would use, and no credentials or proxy.
 */
function buildEnvironment(port: number, folder: string): Record<string, string> {
  return {
    PATH: process.env['PATH'] ?? '',
    HOME: folder,
    LANG: 'C.UTF-8',
    TZ: 'UTC',
    TMPDIR: folder,
    GATEWAY_PORT: String(port),
    // The host of MiniStack's own presigned and callback URLs.
    MINISTACK_HOST: HOST,
    BIND_HOST: HOST,
    RESULTS_ENDPOINT_URL: `http://${RESULTS_HOST}:${port}`,
    AUTH: 'true',
    IOT_MTLS_ENABLED: '0',
    PYTHONUNBUFFERED: '1',
    PYTHONDONTWRITEBYTECODE: '1',
    // Functions run on this machine's Node, not on the deployed runtime.
    AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED: 'true',
  };
}

/**
 * Finds a port by binding it briefly, because MiniStack would report a used port only after its slow start.
 * @param requested 0 for any free port
 */
async function findPort(requested = 0): Promise<number> {
  const server = createServer();
  try {
    server.listen({ port: requested, host: HOST, exclusive: true });
    await once(server, 'listening');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EADDRINUSE') {
      throw new PortInUse(requested);
    }
    throw error;
  }
  const address = server.address();
  server.close();
  await once(server, 'close');
  if (address === null || typeof address === 'string')
    throw new Error('the server did not open a port');
  return address.port;
}

async function waitUntilHealthy(
  child: ChildProcess,
  endpointUrl: string,
  logFile: string,
): Promise<void> {
  const deadline = Date.now() + HEALTH_DEADLINE_MS;
  while (Date.now() < deadline) {
    if (child.exitCode !== null || child.signalCode !== null) break;
    const response = await fetch(`${endpointUrl}/_ministack/health`).catch(() => undefined);
    if (response?.ok) return;
    await sleep(HEALTH_POLL_MS);
  }
  const lines = readFileSync(logFile, 'utf8').trimEnd().split('\n').slice(-LOG_LINES_SHOWN);
  throw new Error(`The emulator did not start; the end of ${logFile}:\n${lines.join('\n')}`);
}

/** The function processes share the emulator's process group. */
async function stopGroup(child: ChildProcess): Promise<void> {
  const { pid } = child;
  if (pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  process.kill(-pid, 'SIGTERM');
  const deadline = new AbortController();
  await Promise.race([
    exited,
    sleep(STOP_DEADLINE_MS, undefined, { signal: deadline.signal }).catch(() => {}),
  ]);
  deadline.abort();
  try {
    process.kill(-pid, 'SIGKILL');
  } catch (error) {
    const hasEnded = error instanceof Error && 'code' in error && error.code === 'ESRCH';
    if (!hasEnded) throw error;
  }
}
