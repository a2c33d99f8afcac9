import { describe, expect, it } from 'vitest';
import { CommandError } from '../../../bin/operator/command.ts';
import { runTenants } from '../../../bin/tenants/manage-tenants.ts';
import { parseTenantsCommand } from '../../../bin/tenants/tenants-command.ts';
import { dynamoTenantRecords } from '../../../lambdas/adapters/dynamodb/tenants.ts';
import { LIMITS } from '../../../lambdas/domain/limits.ts';
import { readStageConfig } from '../../../lib/config/each-stage.ts';
import { inMemoryTable } from '../../../local/in-memory/dynamodb/table.ts';

function tenantsCommand() {
  const clock = () => new Date('2026-03-04T05:06:07.089Z');
  const tenants = dynamoTenantRecords(inMemoryTable(clock));
  const result = async (...args: readonly string[]) => {
    const command = parseTenantsCommand(args);
    if (command.kind === 'help') throw new Error('help');
    return runTenants(command, { tenants, clock });
  };
  return {
    run: async (...args: string[]) => (await result(...args)).text,
    json: async (...args: string[]) => JSON.parse(JSON.stringify((await result(...args)).data)),
  };
}

describe('the tenants command', () => {
  it('creates a tenant with its own limits and the defaults', async () => {
    const { json } = tenantsCommand();
    expect(await json('create', '--tenant', 'acme', '--jobs-per-day', '5000')).toMatchObject({
      tenant: 'acme',
      state: 'enabled',
      jobs_per_day: 5_000,
      hectares_per_day: LIMITS.hectaresPerDay,
    });
    expect((await json('list')).tenants).toHaveLength(1);
  });

  it('changes limits, and resets them to the defaults', async () => {
    const { json } = tenantsCommand();
    await json('create', '--tenant', 'acme', '--jobs-per-day', '5');
    expect(
      await json('set', '--tenant', 'acme', '--hectares-per-day', '7', '--jobs-per-day', 'default'),
    ).toMatchObject({ jobs_per_day: LIMITS.jobsPerDay, hectares_per_day: 7 });
  });

  it('limits the area of a job and the rate of requests', async () => {
    const { json, run } = tenantsCommand();
    await json('create', '--tenant', 'acme', '--hectares-per-job', '20000');
    expect(await json('set', '--tenant', 'acme', '--requests-per-minute', '60')).toMatchObject({
      hectares_per_job: 20_000,
      requests_per_minute: 60,
    });
    expect(await run('list')).toContain('20000 ha a job  60 requests a minute');
  });

  it("limits concurrent batches, by default to the stage's limit", async () => {
    const { json, run } = tenantsCommand();
    const { perTenant } = readStageConfig('prod').runningBatches;
    const created = await json('create', '--tenant', 'acme', '--stage', 'prod');
    expect(created).toMatchObject({ running_batches: perTenant });
    const set = await json('set', '--tenant', 'acme', '--running-batches', '37');
    expect(set).toMatchObject({ running_batches: 37 });
    expect(await run('list')).toContain('37 batches at a time');
  });

  it('disables a tenant that was never created, and enables it again', async () => {
    const { json } = tenantsCommand();
    expect(await json('disable', '--tenant', 'acme')).toMatchObject({ state: 'disabled' });
    expect(await json('enable', '--tenant', 'acme')).toMatchObject({ state: 'enabled' });
  });

  it('rejects creating a tenant twice and limiting an unknown tenant', async () => {
    const { run } = tenantsCommand();
    await run('create', '--tenant', 'acme');
    await expect(run('create', '--tenant', 'acme')).rejects.toThrow(/use set/);
    await expect(run('set', '--tenant', 'other', '--jobs-per-day', '1')).rejects.toThrow(/create/);
  });

  it.each([
    [['make'], /unknown command: make/],
    [['create'], /--tenant is required/],
    [['create', '--tenant', 'a b'], /--tenant must be/],
    [['set', '--tenant', 'a'], /^set .*limit/],
    [['set', '--tenant', 'a', '--jobs-per-day', '-1'], /jobs-per-day/],
    [['set', '--tenant', 'a', '--jobs-per-day', '1.5'], /whole number/],
    [['set', '--tenant', 'a', '--hectares-per-day', '9999999999'], /whole number/],
    [['set', '--tenant', 'a', '--requests-per-minute', '0'], /from 1 to/],
    [['set', '--tenant', 'a', '--requests-per-minute', '60001'], /from 1 to 60000/],
    [['set', '--tenant', 'a', '--hectares-per-job', '0'], /from 1 to/],
    [['set', '--tenant', 'a', '--hectares-per-job', '5000001'], /from 1 to 5000000/],
    [['set', '--tenant', 'a', '--running-batches', '1001'], /from 1 to 1000/],
    [['disable', '--tenant', 'a', '--jobs-per-day', '1'], /--jobs-per-day/],
    [['list', '--tenant', 'a'], /--tenant/],
    [['list', '--stage', 'test'], /--stage must be/],
  ])('rejects %j', (args, says) => {
    expect(() => parseTenantsCommand(args)).toThrow(CommandError);
    expect(() => parseTenantsCommand(args)).toThrow(says);
  });
});
