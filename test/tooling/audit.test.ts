import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';

const cache = mkdtempSync(join(tmpdir(), 'audits-'));
afterAll(() => rmSync(cache, { recursive: true }));

/** One deployed package, so that the lock file has it. */
const ADVISORY = {
  id: 1,
  title: 'reads beyond its buffer',
  url: 'https://example.test/advisories/1',
  vulnerable_versions: '*',
  cwe: [],
  cvss: { score: 0, vectorString: null },
};

interface Outcome {
  readonly status: number | null;
  readonly said: string;
}

/** The real npm asks a registry on this machine, which responds to the audit as the test sets. */
async function audit(registry: RequestListener, ...args: readonly string[]): Promise<Outcome> {
  const server = createServer(registry);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  try {
    return await outcomeOf(['bin/audit.ts', ...args], {
      ...process.env,
      npm_config_registry: `http://127.0.0.1:${port}/`,
      npm_config_fetch_retries: '0',
      // npm caches advisories.
      npm_config_cache: mkdtempSync(join(cache, 'npm-')),
    });
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

function outcomeOf(args: readonly string[], env: NodeJS.ProcessEnv): Promise<Outcome> {
  return new Promise((resolve, reject) => {
    const child = spawn('node_modules/.bin/tsx', args, { env });
    const output: Buffer[] = [];
    child.stdout.on('data', (chunk: Buffer) => output.push(chunk));
    child.stderr.on('data', (chunk: Buffer) => output.push(chunk));
    child.on('error', reject);
    child.on('close', (status) => resolve({ status, said: Buffer.concat(output).toString() }));
  });
}

function advises(advisories: Readonly<Record<string, readonly object[]>>): RequestListener {
  return (request, response) => {
    request.resume();
    const isAudit = request.url?.endsWith('/advisories/bulk') === true;
    response.writeHead(isAudit ? 200 : 404, { 'content-type': 'application/json' });
    response.end(JSON.stringify(isAudit ? advisories : {}));
  };
}

const refuses: RequestListener = (request, response) => {
  request.resume();
  response.writeHead(405).end();
};

it('an audit that the registry refuses fails and says that none took place', async () => {
  const { status, said } = await audit(refuses);
  expect(said).toMatch(/NOT AUDITED: .*405/);
  expect(status).toBe(1);
});

it('passes only with the allowance, and still says so', async () => {
  const { status, said } = await audit(refuses, '--allow-unaudited');
  expect(said).toMatch(/NOT AUDITED: .*405/);
  expect(status).toBe(0);
});

it.each([
  ['low', 0],
  ['high', 1],
] as const)('an advisory of severity %s ends with %i, allowance or not', async (severity, code) => {
  const advisories = advises({ zod: [{ ...ADVISORY, severity }] });
  const { status, said } = await audit(advisories, '--allow-unaudited');
  expect(said).toContain(`${severity}: zod`);
  expect(status).toBe(code);
});

it('passes when the registry knows of none', async () => {
  const { status, said } = await audit(advises({}));
  expect(said).toContain('No known advisories.');
  expect(status).toBe(0);
});
