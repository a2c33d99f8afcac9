import { createHmac } from 'node:crypto';
import { readFileSync } from 'node:fs';
import {
  CloudFormationClient,
  CreateStackCommand,
  DescribeStacksCommand,
} from '@aws-sdk/client-cloudformation';
import { EventBridgeClient, PutRuleCommand, PutTargetsCommand } from '@aws-sdk/client-eventbridge';
import { CreateQueueCommand, ReceiveMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { describe, expect, inject, it } from 'vitest';
import * as z from 'zod';
import { batchFinishedSchema } from '../../lambdas/domain/delivery/batch-finished.ts';
import { ROOT_CREDENTIALS } from '../../local/emulator/emulator.ts';
import { httpClient } from '../support/api/http-client.ts';
import { obtainContract } from '../support/api/published-document.ts';
import * as spec from '../support/api/spec-schemas.ts';
import { type Delivery, webhookReceiver } from '../support/delivery/webhook-receiver.ts';
import { eventually } from '../support/deployed/eventually.ts';

const service = inject('service');
const call = httpClient(service.v2_url, service.api_key);
const SECRET = 'a secret of deliveries';

/** Written by hand from the docs, like `spec`, so that it is independent of the service's schemas. */
const deliveries = z.looseObject({
  batch_id: z.uuid(),
  state: z.enum(['due', 'acknowledged', 'permanent', 'exhausted']).nullable(),
  redeliveries: z.number(),
  attempts: z.array(
    z.looseObject({
      attempt: z.number(),
      outcome: z.string(),
      reason: z.string(),
      status_code: z.number().nullable(),
      webhook_id: z.string(),
      body_bytes: z.number(),
    }),
  ),
});

async function post(fields: object): Promise<string> {
  const jobs = [{ polygon: { type: 'Polygon', coordinates: [] }, year: 2024 }];
  const response = await call('/v1/batch', { body: JSON.stringify({ jobs, ...fields }) });
  return spec.created.parse(response.json).batch_id;
}

async function logOf(batchId: string) {
  return deliveries.parse((await call(`/v1/batch/${batchId}/deliveries`)).json);
}

const logWhen = (batchId: string, state: string) =>
  eventually(
    () => logOf(batchId),
    (log) => log.state === state,
  );

function isSigned({ headers, body }: Delivery): boolean {
  const signature = createHmac('sha256', SECRET).update(body).digest('hex');
  return headers['x-service-signature'] === signature;
}

describe('the delivery log of a batch', () => {
  it('lists a rejected delivery, and then the acknowledged redelivery', async () => {
    let status = 404;
    await using receiver = await webhookReceiver(() => status);
    const { deliveries: requests } = receiver;
    const batchId = await post({ webhook_url: receiver.url, webhook_secret: SECRET });
    const rejected = await logWhen(batchId, 'permanent');
    expect(rejected.attempts).toMatchObject([
      { attempt: 1, outcome: 'permanent', status_code: 404, body_bytes: requests[0]?.body.length },
    ]);

    status = 200;
    const path = `/v1/batch/${batchId}/deliveries`;
    const accepted = await call(path, { method: 'POST' });
    expect(accepted.status).toBe(202);
    const tooSoon = await call(path, { method: 'POST' });
    expect(tooSoon.status).toBe(429);
    expect(Number(tooSoon.headers.get('retry-after'))).toBeGreaterThan(0);

    const acknowledged = await logWhen(batchId, 'acknowledged');
    expect(acknowledged).toMatchObject({
      redeliveries: 1,
      attempts: [{ attempt: 1 }, { attempt: 2, outcome: 'acknowledged', status_code: 200 }],
    });
    const [first, second] = requests;
    if (first === undefined || second === undefined) throw new Error('a request is missing');
    expect(requests).toHaveLength(2);
    expect(isSigned(second)).toBe(true);
    const body = JSON.parse(second.body.toString('utf8'));
    expect(body).toMatchObject({ batch_id: batchId, redelivery: 1 });
    expect((await obtainContract(service.v2_url)).checkDelivery(body)).toEqual([]);
    expect(acknowledged.attempts.map(({ webhook_id }) => webhook_id)).toEqual([
      first.headers['webhook-id'],
      second.headers['webhook-id'],
    ]);
    expect(JSON.stringify(acknowledged)).not.toContain(SECRET);
  });

  it('is hidden from other tenants, and is empty if the batch has no webhook', async () => {
    const batchId = await post({});
    const other = httpClient(service.v2_url, service.other_tenant_api_key);
    const path = `/v1/batch/${batchId}/deliveries`;
    expect((await other(path)).status).toBe(404);
    expect((await other(path, { method: 'POST' })).status).toBe(404);
    expect(await logOf(batchId)).toMatchObject({ state: null, attempts: [] });
    expect((await call(path, { method: 'POST' })).status).toBe(409);
  });
});

describe('a test of a webhook', () => {
  const test = (webhook_url: string) =>
    call('/v1/webhooks/test', { body: JSON.stringify({ webhook_url, webhook_secret: SECRET }) });

  it('reaches the receiver with a valid signature, and returns its response', async () => {
    let status = 200;
    await using receiver = await webhookReceiver(() => status);
    const { deliveries: requests } = receiver;
    expect((await test(receiver.url)).json).toMatchObject({
      outcome: 'acknowledged',
      status_code: 200,
      signed: true,
    });
    const [sample] = requests;
    if (sample === undefined) throw new Error('nothing was sent');
    expect(isSigned(sample)).toBe(true);
    const body = JSON.parse(sample.body.toString('utf8'));
    expect(spec.webhook.parse(body)).toMatchObject({ test: true });
    status = 500;
    expect((await test(receiver.url)).json).toMatchObject({ outcome: 'retry', status_code: 500 });
  });

  it('is rejected for a host to which no deployment sends', async () => {
    const rejected = await test('http://169.254.169.254/');
    expect(rejected.status).toBe(422);
    expect(rejected.text).not.toContain(SECRET);
  });
});

describe('the event of a finished batch', () => {
  const connection = {
    endpoint: service.endpoint_url,
    region: service.region,
    credentials: ROOT_CREDENTIALS,
  };
  const queues = new SQSClient(connection);

  async function createQueue(QueueName: string) {
    const Statement = [
      { Effect: 'Allow', Principal: '*', Action: 'sqs:SendMessage', Resource: '*' },
    ];
    const Attributes = { Policy: JSON.stringify({ Version: '2012-10-17', Statement }) };
    const { QueueUrl } = await queues.send(new CreateQueueCommand({ QueueName, Attributes }));
    const receive = { QueueUrl, VisibilityTimeout: 0, MaxNumberOfMessages: 10 };
    return {
      arn: `arn:aws:sqs:${service.region}:000000000000:${QueueName}`,
      receive: async () => {
        const { Messages = [] } = await queues.send(new ReceiveMessageCommand(receive));
        return Messages.map(({ Body = '' }) => JSON.parse(Body));
      },
    };
  }

  it('reaches a queue through a rule on the bus even if the batch has no webhook', async () => {
    const event = z.looseObject({
      'detail-type': z.literal('batch.finished'),
      detail: batchFinishedSchema,
    });
    const queue = await createQueue('events-of-finished-batches');
    const pattern = { source: ['soil-batch'], detail: { tenant: ['demo'], status: ['failed'] } };
    const events = new EventBridgeClient(connection);
    const Rule = 'finished-batches';
    await events.send(new PutRuleCommand({ Name: Rule, EventPattern: JSON.stringify(pattern) }));
    const Targets = [{ Id: 'queue', Arn: queue.arn }];
    await events.send(new PutTargetsCommand({ Rule, Targets }));
    const batchId = await post({ name: 'Ost' });
    const [found] = await eventually(
      async () => {
        const received = await queue.receive();
        return received
          .map((message) => event.parse(message))
          .filter(({ detail }) => detail.batch_id === batchId);
      },
      (found) => found.length > 0,
    );
    expect(found?.detail).toMatchObject({ name: 'Ost', total_jobs: 1, failed_jobs: 1 });
  });

  it('reaches subscribers as a sentence through the stack in docs/events.md', async () => {
    const queue = await createQueue('mail-of-finished-batches');
    const [, template = ''] =
      /```yaml\n(.*?)```/s.exec(readFileSync('docs/events.md', 'utf8')) ?? [];
    const mail = 'Protocol: email, Endpoint: you@example.com';
    expect(template).toContain(mail);
    // The emulator sends no e-mail.
    const TemplateBody = template.replace(mail, `Protocol: sqs, Endpoint: ${queue.arn}`);
    const stacks = new CloudFormationClient(connection);
    await stacks.send(new CreateStackCommand({ StackName: 'soil-mail', TemplateBody }));
    await eventually(
      () => stacks.send(new DescribeStacksCommand({ StackName: 'soil-mail' })),
      ({ Stacks = [] }) => Stacks[0]?.StackStatus === 'CREATE_COMPLETE',
    );
    const batchId = await post({ name: 'Ost' });
    const [sentence] = await eventually(
      async () => {
        const received = await queue.receive();
        return received
          .map(({ Message }) => String(Message))
          .filter((one) => one.includes(batchId));
      },
      (found) => found.length > 0,
    );
    expect(sentence).toMatch(/\bfailed\b.*\b0\b.*\b1\b/);
  });
});
