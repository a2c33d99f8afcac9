import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { buildConsole } from '../../lib/build/console-build.ts';
import { listDeployedHandlers, readFunctionCode } from '../../lib/build/function-code.ts';
import project from '../../package.json' with { type: 'json' };

const cache = mkdtempSync(join(tmpdir(), 'audits-'));
afterAll(() => rmSync(cache, { recursive: true }));

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

/** Runs the audit with the real npm and a registry on this machine, which responds as the test specifies. */
async function audit(registry: RequestListener, ...args: readonly string[]): Promise<Outcome> {
  const server = createServer(registry);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  try {
    return await runTsx(['bin/audit.ts', ...args], {
      ...process.env,
      npm_config_registry: `http://127.0.0.1:${port}/`,
      npm_config_fetch_retries: '0',
      // Use a new cache, because npm caches advisories.
      npm_config_cache: mkdtempSync(join(cache, 'npm-')),
    });
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

function runTsx(args: readonly string[], env: NodeJS.ProcessEnv): Promise<Outcome> {
  return new Promise((resolve, reject) => {
    const child = spawn('node_modules/.bin/tsx', args, { env });
    const output: Buffer[] = [];
    child.stdout.on('data', (chunk: Buffer) => output.push(chunk));
    child.stderr.on('data', (chunk: Buffer) => output.push(chunk));
    child.on('error', reject);
    child.on('close', (status) => resolve({ status, said: Buffer.concat(output).toString() }));
  });
}

function respondWithAdvisories(
  advisories: Readonly<Record<string, readonly object[]>>,
): RequestListener {
  return (request, response) => {
    request.resume();
    const isAudit = request.url?.endsWith('/advisories/bulk') === true;
    response.writeHead(isAudit ? 200 : 404, { 'content-type': 'application/json' });
    response.end(JSON.stringify(isAudit ? advisories : {}));
  };
}

const rejectRequest: RequestListener = (request, response) => {
  request.resume();
  response.writeHead(405).end();
};

it('the audit fails and says that it did not take place if the registry rejects the request', async () => {
  const { status, said } = await audit(rejectRequest);
  expect(said).toMatch(/NOT AUDITED: .*405/);
  expect(status).toBe(1);
});

it('the audit may be allowed to pass without the registry, and still says that it did not take place', async () => {
  const { status, said } = await audit(rejectRequest, '--allow-unaudited');
  expect(said).toMatch(/NOT AUDITED: .*405/);
  expect(status).toBe(0);
});

it.each([
  ['low', 'zod', 0],
  ['high', 'zod', 1],
  ['high', 'ol', 1],
  ['high', 'onnxruntime-node', 1],
] as const)(
  'the audit with a %s advisory for %s exits with %i, even if it may pass without the registry',
  async (severity, name, code) => {
    const advisories = respondWithAdvisories({ [name]: [{ ...ADVISORY, severity }] });
    const { status, said } = await audit(advisories, '--allow-unaudited');
    expect(said).toContain(`${severity}: ${name} * ${ADVISORY.url}`);
    expect(status).toBe(code);
  },
);

it.each([
  ['has no advisories', {}],
  [
    'has advisories only for a package that is not deployed',
    { esbuild: [{ ...ADVISORY, severity: 'high' }] },
  ],
])('the audit passes if the registry %s', async (_, advisories) => {
  const { status, said } = await audit(respondWithAdvisories(advisories));
  expect(said).toContain('No known advisories.');
  expect(status).toBe(0);
});

it('the audit lists every deployed package with its version, and no package that only builds or tests need', async () => {
  await audit(respondWithAdvisories({}));
  const { components } = JSON.parse(readFileSync('.local/sbom.cdx.json', 'utf8'));
  const versions: ReadonlyMap<string, string> = new Map(
    components.map(({ name, version }: Record<'name' | 'version', string>) => [name, version]),
  );
  const bundled = [...listBundledPackages(), ...buildConsole().packages];
  for (const folder of bundled) {
    const { name, version } = JSON.parse(readFileSync(`${folder}/package.json`, 'utf8'));
    expect(versions.get(name), name).toBe(version);
  }
  expect([...versions.keys()]).toEqual(
    expect.arrayContaining(['zod', '@aws-sdk/core', '@smithy/core', 'ol', 'geotiff', 'sql.js']),
  );
  expect([...versions.keys()]).toEqual(
    expect.arrayContaining(['onnxruntime-node', 'onnxruntime-common']),
  );
  // The lock marks packages as `dev` if only development needs them. Of these, the CDK contains a function that it
  // deploys.
  const lock = JSON.parse(readFileSync('package-lock.json', 'utf8'));
  const developing = Object.keys(project.devDependencies).filter(
    (name) => versions.has(name) && lock.packages[`node_modules/${name}`].dev === true,
  );
  expect(developing).toEqual(['aws-cdk-lib']);
});

function listBundledPackages(): ReadonlySet<string> {
  const sources = listDeployedHandlers().flatMap((handler): readonly string[] => {
    return JSON.parse(readFunctionCode(handler)['index.mjs.map'] ?? '').sources;
  });
  return new Set(
    sources.flatMap((source) => /node_modules\/(@[^/]+\/)?[^/]+/.exec(source)?.[0] ?? []),
  );
}
