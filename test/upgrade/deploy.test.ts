import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { SoilClient } from '../../client/src/index.ts';
import { type Deployer, deploy, deployBuilt } from '../../local/deploy.ts';
import {
  buildAwsEnvironment,
  type Emulator,
  obtainEmulator,
} from '../../local/emulator/emulator.ts';
import { type LocalService, startLocalService } from '../../local/service.ts';
import { makeDeployer } from './deployer.ts';
import { checkOut, findLastRelease, removeCheckOut } from './last-release.ts';
import { BATCHES } from './many-batches.ts';

const [area] = JSON.parse(readFileSync('examples/meuse-batch.json', 'utf8')).jobs;
const request = { jobs: [area, area, area] };
const UNLIMITED = { jobsPerDay: 100_000, hectaresPerDay: 1_000_000, requestsPerMinute: 1_000_000 };

// Before the first release, this version is deployed over itself.
const released = findLastRelease();
let releaseFolder: string | undefined;

let emulator: Emulator;
let service: LocalService;
let deployer: Deployer;

beforeAll(async () => {
  emulator = await obtainEmulator();
  // Both deployments use this emulator.
  process.env['AWS_ENDPOINT_URL'] = emulator.endpointUrl;
  if (released !== null) releaseFolder = checkOut(released);
  service = await startLocalService({
    ...(releaseFolder === undefined ? {} : { project: releaseFolder }),
    entry: 'test/upgrade/app.ts',
    limits: UNLIMITED,
    deployer: async (bootstrapped) => {
      deployer = await makeDeployer(bootstrapped);
      return deployer;
    },
  });
});

afterAll(async () => {
  await emulator.stop();
  if (releaseFolder !== undefined) removeCheckOut(releaseFolder);
});

const client = () =>
  new SoilClient({ baseUrl: service.description.v2_url, apiKey: service.description.api_key });

describe('a user with only the documented policies', () => {
  it('can deploy the service and manage its keys', async () => {
    const env = {
      ...buildAwsEnvironment(emulator),
      AWS_ACCESS_KEY_ID: deployer.accessKeyId,
      AWS_SECRET_ACCESS_KEY: deployer.secretAccessKey,
    };
    const run = async (...command: readonly string[]) =>
      JSON.parse((await promisify(execFile)('node_modules/.bin/tsx', command, { env })).stdout);
    const created = await run('bin/keys.ts', 'create', '--tenant', 'acme', '--json');
    expect(created.key).toMatch(/^soc_/);
    await run('bin/keys.ts', 'revoke', '--id', created.id, '--json');
    const { findings } = await run('bin/preflight.ts', '--stage', 'local', '--json');
    const unseen = findings.filter(({ verdict }: { verdict: string }) => verdict === 'unseen');
    // For a policy simulation, the emulator checks the permission for all roles and not only for the simulated
    // one.
    expect(unseen.map(({ about }: { about: string }) => about)).toEqual(['signing user']);
  });
});

describe('a user without the statement DeployByCdkRoles', () => {
  it('cannot deploy', async () => {
    const restricted = await makeDeployer(emulator, 'DeployByCdkRoles');
    await expect(deployBuilt(emulator, restricted)).rejects.toThrow(/AccessDenied|not authorized/);
  });
});

describe('a deployment while 20 batches run', () => {
  const old = released ?? 'this version, because no release is tagged';
  it(`lets each of them end with the functions it started with, those of ${old}`, async () => {
    const api = client();
    const stateOf = (id: string) => api.batch(id).status({ jobs: 'all' });
    const create = async (body: { jobs: readonly object[] }) =>
      (await api.createBatch(JSON.stringify(body))).batch_id;
    const ids: string[] = [];
    await deploy(emulator, {
      entry: 'test/upgrade/next-app.ts',
      // Create batches after the new functions are built, because building takes longer than a batch.
      deployer: async () => {
        for (let at = 0; at < BATCHES; at++) ids.push(await create(request));
        await vi.waitFor(
          async () => {
            const started = (await Promise.all(ids.map(stateOf))).map((one) => one.started_at);
            expect(started).not.toContain(null);
          },
          { timeout: 120_000, interval: 1_000 },
        );
        return deployer;
      },
    });
    const after = await Promise.all(ids.map(stateOf));
    const running = after.filter((batch) => batch.status === 'processing');
    expect(running.length, 'batches that still ran at the end of the deployment').toBeGreaterThan(
      0,
    );

    for (const id of ids) await api.batch(id).waitFor({ timeout: 600_000 });
    const ended = await Promise.all(ids.map(stateOf));
    expect(new Set(ended.map((batch) => batch.status))).toEqual(new Set(['completed']));
    // The new functions do not have this pack version, and the old functions have no other.
    for (const { jobs = [] } of ended) {
      expect(jobs.map(({ model }) => model)).toEqual(request.jobs.map(() => 'meuse-soc@1.0.0'));
    }

    const next = await create({ jobs: [area] });
    await api.batch(next).waitFor({ timeout: 600_000 });
    const { jobs = [] } = await stateOf(next);
    expect(jobs.map(({ model }) => model)).toEqual(['meuse-soc@2.0.0']);
  });
});
