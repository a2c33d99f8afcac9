import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { runCommand } from '../bin/operator/command.ts';
import { API_KEY, newApiKey } from '../lambdas/domain/tenant/api-key.ts';
import type { Log } from '../lambdas/observability/log.ts';
import { readStageConfig } from '../lib/config/each-stage.ts';
import project from '../package.json' with { type: 'json' };
import { createProgressPrinter, parsePort, readOptions } from './command-line.ts';
import { startDevServer } from './dev/server.ts';
import { LOCAL_FOLDER } from './paths.ts';

const DEFAULT_PORT = '4000';

/** The key is kept in a file, so that it stays valid after a reload. */
const KEY_FILE = path.join(LOCAL_FOLDER, 'dev-api-key');

/** `npm run dev` serves the API of V2 and its pipeline in one process, without AWS or an emulator. */
async function main(): Promise<void> {
  const { port, json } = readOptions({
    port: { type: 'string', default: DEFAULT_PORT },
    json: { type: 'boolean' },
  });
  const print = createProgressPrinter(json);
  const apiKey = readKey();
  const { url } = await startDevServer({
    port: parsePort(port, 0),
    config: readStageConfig('local'),
    version: `${project.version}+in-memory`,
    apiKey,
    write: requestLog(print),
    onFault: (batchId, error) => console.error(`${batchId}:`, error),
  });
  if (json === true) console.log(JSON.stringify({ url, api_key: apiKey }));
  else print(describeServer(url, apiKey));
}

function readKey(): string {
  if (existsSync(KEY_FILE)) {
    const key = readFileSync(KEY_FILE, 'utf8').trim();
    if (API_KEY.test(key)) return key;
  }
  const key = newApiKey();
  mkdirSync(LOCAL_FOLDER, { recursive: true });
  writeFileSync(KEY_FILE, `${key}\n`, { mode: 0o600 });
  return key;
}

function requestLog(print: (line: string) => void): Log {
  return (_level, event, { status, method, duration_ms, fault }) => {
    print(`${method} ${event} ${status} ${duration_ms} ms`);
    if (fault !== undefined) console.error(fault);
  };
}

function describeServer(url: string, apiKey: string): string {
  return `Development server: V2 in one process, in memory. This is not the deployment: no AWS, no IAM,
no retries, unsigned result URLs, and everything is lost on exit or reload.

  URL       ${url}
  Console   ${url}/console
  API key   ${apiKey}

Try:
  curl -sS ${url}/v1/batch -H 'Authorization: Bearer ${apiKey}' \\
    -H 'Content-Type: application/json' -d @examples/meuse-batch.json
`;
}

await runCommand('dev', main);
