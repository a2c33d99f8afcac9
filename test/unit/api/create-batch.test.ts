import { describe, expect, it } from 'vitest';
import { creationResponse, OVER_HTTP } from '../../../lambdas/api/operations/create-batch.ts';
import { problemBody } from '../../../lambdas/api/specification/documented-problems.ts';
import { jobIdOf } from '../../../lambdas/domain/identity.ts';
import { webhookSecrets } from '../../../local/in-memory/ports.ts';
import { BASE_URL } from '../../support/api/gateway-event.ts';
import { creationBody, inMemoryService, job, POLYGON } from '../../support/api/service.ts';

describe('a created batch', () => {
  it('is returned with its IDs, its counts under both names and the status URL', async () => {
    const service = inMemoryService();
    const response = await service.create({ body: creationBody({ jobs: [job(), job()] }) });
    expect(response.status).toBe(202);
    const body = creationResponse.parse(response.body);
    expect(body.total_jobs).toBe(2);
    expect(body.total_tasks).toBe(2);
    expect(body.created_at).toBe('2026-03-04T05:06:07.089Z');
    expect(body.job_ids).toEqual([jobIdOf(body.batch_id, 0), jobIdOf(body.batch_id, 1)]);
    expect(response.headers['Location']).toBe(`${BASE_URL}/v1/batch/${body.batch_id}/status`);
  });

  it("belongs to the key's tenant and expires after the retention period", async () => {
    const service = inMemoryService();
    const response = await service.create({ body: creationBody(), tenant: 'beta' });
    const { batch } = await service.storedBatch(creationResponse.parse(response.body).batch_id);
    expect(batch.tenant).toBe('beta');
    expect(batch.results_expire_at).toBe('2026-04-03T05:06:07.089Z');
    expect(batch.status).toBe('pending');
  });

  it('stores its jobs so that they can be read one by one or all together', async () => {
    const service = inMemoryService();
    const first = '{ "year":2020, "polygon":{"type":"Polygon","coordinates":[ ],"é":"ü"} }';
    const second = '{"polygon":{},"year":2.021e3,"name":"north field","properties":{"é":1.0}}';
    const response = await service.create({ body: `{"jobs": [ ${first} ,\n${second}] }` });
    const id = creationResponse.parse(response.body).batch_id;
    const entries = await service.requests.entries(id);
    expect(entries.map(({ name, year }) => [name, year])).toEqual([
      [null, 2020],
      ['north field', 2021],
    ]);
    const jobs = await Promise.all(entries.map((entry) => service.requests.job(id, entry)));
    expect(jobs.map(({ geometry, properties }) => [geometry.kind, properties])).toEqual([
      ['invalid', null],
      ['invalid', { é: 1 }],
    ]);
    const jobOf = await service.requests.jobs(id);
    expect(entries.map(jobOf)).toEqual(jobs);
  });

  it("takes a job's name from the ID of its Feature", async () => {
    const service = inMemoryService();
    const feature = (id: unknown) => ({ type: 'Feature', id, geometry: POLYGON, properties: null });
    const jobs = [
      job({ polygon: feature('field 7') }),
      job({ polygon: feature(7) }),
      job({ polygon: feature('field 7'), name: 'mine' }),
      job({ polygon: feature({}) }),
    ];
    const response = await service.create({ body: creationBody({ jobs }) });
    const id = creationResponse.parse(response.body).batch_id;
    const entries = await service.requests.entries(id);
    expect(entries.map(({ name }) => name)).toEqual(['field 7', '7', 'mine', null]);
  });

  it('takes as many writes with a thousand jobs as with one', async () => {
    const few = inMemoryService();
    const many = inMemoryService();
    await few.create({ body: creationBody() });
    const jobs = Array.from({ length: 1000 }, () => job());
    expect((await many.create({ body: creationBody({ jobs }) })).status).toBe(202);
    expect(many.writes.count).toBe(few.writes.count);
  });

  it('is accepted even if its execution cannot be started yet', async () => {
    const service = inMemoryService();
    service.faults.start = true;
    const response = await service.create({ body: creationBody() });
    expect(response.status).toBe(202);
    expect(await service.batchIds()).toHaveLength(1);
    expect(service.started).toEqual([]);
  });
});

describe('the webhook of a new batch', () => {
  const withWebhook = (members: object = {}) =>
    creationBody({ webhook_url: 'https://receiver.example/hook', ...members });

  it('is described as unsigned in the response if there is no secret', async () => {
    const service = inMemoryService();
    const response = await service.create({ body: withWebhook() });
    const { batch_id, message } = creationResponse.parse(response.body);
    expect(message).toContain('unsigned');
    expect((await service.storedBatch(batch_id)).batch.webhook).toEqual({
      url: 'https://receiver.example/hook',
      secret_ciphertext: null,
      jobs: 'full',
    });
  });

  it.each([
    ['http', 'full', true],
    ['http', 'none', false],
    ['https', 'full', false],
  ])(
    'over %s with %s jobs causes a warning that others can read the webhook: %s',
    async (scheme, webhook_jobs, warns) => {
      const url = { webhook_url: `${scheme}://receiver.example:8080/hook`, webhook_jobs };
      const response = await inMemoryService().create({ body: creationBody(url) });
      const { message } = creationResponse.parse(response.body);
      expect(message.includes(OVER_HTTP)).toBe(warns);
    },
  );

  it('is absent when its URL is empty', async () => {
    const service = inMemoryService();
    const response = await service.create({ body: creationBody({ webhook_url: '' }) });
    const { batch_id } = creationResponse.parse(response.body);
    expect((await service.storedBatch(batch_id)).batch.webhook).toBeNull();
  });

  it('is stored and returned without its secret in plain text', async () => {
    const service = inMemoryService();
    const body = withWebhook({ webhook_secret: 'correct horse', webhook_jobs: 'none' });
    const response = await service.create({ body });
    const { batch_id, message } = creationResponse.parse(response.body);
    expect(message).toContain('signed with your webhook_secret');
    const { batch } = await service.storedBatch(batch_id);
    expect(batch.webhook?.jobs).toBe('none');
    expect(batch.webhook?.secret_ciphertext).toBe(
      await webhookSecrets.encrypt('correct horse', { tenant: 'alpha', batchId: batch_id }),
    );
    const everything = JSON.stringify([
      await service.storedBatch(batch_id),
      [...service.requests.objects.values()].map(String),
      response,
    ]);
    expect(everything).not.toContain('correct horse');
  });

  it('may have its secret in a header', async () => {
    const service = inMemoryService();
    const response = await service.create({
      body: withWebhook(),
      headers: { 'webhook-SECRET': 'from the header' },
    });
    const { batch_id } = creationResponse.parse(response.body);
    expect((await service.storedBatch(batch_id)).batch.webhook?.secret_ciphertext).not.toBeNull();
  });

  it('is rejected when body and header have different secrets, and neither is returned', async () => {
    const service = inMemoryService();
    const response = await service.create({
      body: withWebhook({ webhook_secret: 'one thing' }),
      headers: { 'Webhook-Secret': 'another' },
    });
    expect(response.status).toBe(422);
    expect(problemBody.parse(response.body).errors?.[0]?.pointer).toBe('/webhook_secret');
    expect(response.text).not.toMatch(/one thing|another value: another/);
    expect(await service.batchIds()).toHaveLength(0);
  });

  it.each([
    'https://receiver.example:22/hook',
    'https://127.0.0.1/hook',
    'https://169.254.169.254/latest/meta-data',
    'https://user:pass@receiver.example/',
    'ftp://receiver.example/',
    'not a url',
  ])('is rejected with the URL "%s"', async (webhook_url) => {
    const service = inMemoryService();
    const response = await service.create({ body: creationBody({ webhook_url }) });
    expect(response.status).toBe(422);
    expect(problemBody.parse(response.body).errors?.map(({ pointer }) => pointer)).toEqual([
      '/webhook_url',
    ]);
  });
});
