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

/** What the registry responds of one package. */
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
  ['low', 'zod', 0],
  ['high', 'zod', 1],
  ['high', 'ol', 1],
  ['high', 'onnxruntime-node', 1],
] as const)('a %s advisory of %s ends with %i, allowance or not', async (severity, name, code) => {
  const advisories = advises({ [name]: [{ ...ADVISORY, severity }] });
  const { status, said } = await audit(advisories, '--allow-unaudited');
  expect(said).toContain(`${severity}: ${name} * ${ADVISORY.url}`);
  expect(status).toBe(code);
});

it.each([
  ['for no package', {}],
  ['only for a package that is not deployed', { esbuild: [{ ...ADVISORY, severity: 'high' }] }],
])('passes when the registry has advisories %s', async (_, advisories) => {
  const { status, said } = await audit(advises(advisories));
  expect(said).toContain('No known advisories.');
  expect(status).toBe(0);
});

it('lists every package in a bundle or beside it at its version, and none that only builds or tests', async () => {
  await audit(advises({}));
  const { components } = JSON.parse(readFileSync('.local/sbom.cdx.json', 'utf8'));
  const versions: ReadonlyMap<string, string> = new Map(
    components.map(({ name, version }: Record<'name' | 'version', string>) => [name, version]),
  );
  const bundled = [...inSourceMaps(), ...buildConsole().packages];
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
  // Some development dependencies are also needed by a deployed package. The CDK adds its own function.
  const lock = JSON.parse(readFileSync('package-lock.json', 'utf8'));
  const developing = Object.keys(project.devDependencies).filter(
    (name) => versions.has(name) && lock.packages[`node_modules/${name}`].dev === true,
  );
  expect(developing).toEqual(['aws-cdk-lib']);
});

/** Folders of packages from which functions contain code, as their source maps tell. */
function inSourceMaps(): ReadonlySet<string> {
  const sources = listDeployedHandlers().flatMap((handler): readonly string[] => {
    return JSON.parse(readFunctionCode(handler)['index.mjs.map'] ?? '').sources;
  });
  return new Set(
    sources.flatMap((source) => /node_modules\/(@[^/]+\/)?[^/]+/.exec(source)?.[0] ?? []),
  );
}
