import { once } from 'node:events';
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type CliService, cliHere, startCliService } from '../../support/cli-service.ts';
import { writeFields } from './field-files.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'cli-bad-'));
const web = createServer((_, response) => {
  response.setHeader('Content-Type', 'text/html').end('<html><title>A page</title></html>');
});
let service: CliService;

beforeAll(async () => {
  service = await startCliService();
  web.listen(0, '127.0.0.1');
  await once(web, 'listening');
  writeFields(path.join(folder, 'fields.geojson'), [{ id: 'a' }]);
});

afterAll(async () => {
  web.close();
  await service.close();
  rmSync(folder, { recursive: true });
});

/** One sentence, and nothing written. */
async function failure(env: NodeJS.ProcessEnv, ...args: readonly string[]): Promise<string> {
  const line = ['run', 'fields.geojson', '--year', '2021', '--yes', ...args];
  const before = readdirSync(folder);
  const { code, stdout, stderr } = await cliHere(line, { env, cwd: folder });
  expect(code, stderr).toBeOneOf([1, 2]);
  expect(stdout).toBe('');
  expect(stderr.trimEnd().split('\n')).toHaveLength(1);
  expect(readdirSync(folder)).toEqual(before);
  return stderr;
}

const key = () => ({ SOIL_API_KEY: service.apiKey });

describe('soil-batch says in one sentence that', () => {
  it('the key is wrong', async () => {
    const env = { SOIL_BASE_URL: service.url, SOIL_API_KEY: 'soc_nobody' };
    expect(await failure(env)).toContain('rejects the API key');
  });

  it('no service responds', async () => {
    const env = { ...key(), SOIL_BASE_URL: 'http://127.0.0.1:9' };
    expect(await failure(env)).toMatch(/127\.0\.0\.1:9 cannot be reached: .*(bad port|REFUSED)/);
  });

  it('a web page responds', async () => {
    const address = web.address();
    const port = typeof address === 'object' ? address?.port : undefined;
    const env = { ...key(), SOIL_BASE_URL: `http://127.0.0.1:${port}` };
    expect(await failure(env)).toMatch(/is not a Soil Batch service: .*text\/html/);
  });

  it('a path is not part of the URL of the service', async () => {
    const env = { ...key(), SOIL_BASE_URL: `${service.url}/elsewhere` };
    expect(await failure(env)).toContain('is not a Soil Batch service');
  });

  it('the key would be sent unencrypted', async () => {
    const env = { ...key(), SOIL_BASE_URL: 'http://soil.example' };
    expect(await failure(env)).toContain('use https');
  });

  it('nothing is configured', async () => {
    expect(await failure(key())).toContain('SOIL_BASE_URL');
    expect(await failure({ SOIL_BASE_URL: service.url })).toContain('SOIL_API_KEY');
  });

  it('the model does not exist', async () => {
    const env = { ...key(), SOIL_BASE_URL: service.url };
    expect(await failure(env, '--model', 'no such model!')).toContain('/model');
  });

  it('the fields have no such attribute', async () => {
    const env = { ...key(), SOIL_BASE_URL: service.url };
    expect(await failure(env, '--name-field', 'nom')).toContain('id, crop');
  });
});

describe('the config file', () => {
  const config = path.join(folder, 'config/soil-batch/config.json');
  const env = { XDG_CONFIG_HOME: path.join(folder, 'config') };

  beforeAll(() => {
    mkdirSync(path.dirname(config), { recursive: true });
    const content = { base_url: `${service.url}/v1/`, api_key: service.apiKey };
    writeFileSync(config, JSON.stringify(content));
  });

  it('is refused while others can read it, with the command that changes this', async () => {
    chmodSync(config, 0o644);
    const stderr = await failure(env);
    expect(stderr).toContain(`chmod 600 ${config}`);
    expect(stderr).not.toContain(service.apiKey);
  });

  it('configures service and key', async () => {
    chmodSync(config, 0o600);
    const { code, stdout } = await cliHere(['models'], { env });
    expect(code).toBe(0);
    expect(stdout).toContain('meuse-soc@');
  });

  it('gives its key to no other service', async () => {
    const stderr = await failure({ ...env, SOIL_BASE_URL: 'https://other.example' });
    expect(stderr).toContain('SOIL_API_KEY');
    expect(stderr).toContain('https://other.example');
  });

  it('is not quoted when it is damaged', async () => {
    writeFileSync(config, `{"api_key": "${service.apiKey}`);
    expect(await failure(env)).not.toContain(service.apiKey);
  });
});
