import { Duration } from 'aws-cdk-lib';
import { SqsEventSource } from 'aws-cdk-lib/aws-lambda-event-sources';
import { Queue, QueueEncryption } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { grantDeliverWebhook } from './permissions/background.ts';
import { ServiceFunction } from './service-function.ts';
import type { Foundation } from './stateful-stack.ts';

/** A receiver has 10 s to respond; the rest of the timeout is for signing, storing and recording an attempt. */
const DELIVERY_TIMEOUT = Duration.seconds(30);

export interface WebhooksProps {
  readonly foundation: Foundation;
}

/**
 * The queue that schedules delivery attempts, and the function that makes them. The queue is only a timer; the outbox
 * items say what is due. Message groups by tenant make the standard queue a fair queue, so that a tenant with slow
 * receivers delays only itself.
 */
export class Webhooks extends Construct {
  readonly queue: Queue;
  /** Deliveries whose last attempt failed, and messages received too often. Each needs a person's attention. */
  readonly deadLetterQueue: Queue;
  readonly deliver: ServiceFunction;

  constructor(scope: Construct, id: string, { foundation }: WebhooksProps) {
    super(scope, id);
    const { config } = foundation;

    this.deadLetterQueue = new Queue(this, 'DeadLetterQueue', {
      encryption: QueueEncryption.SQS_MANAGED,
      enforceSSL: true,
      // SQS keeps a message for at most 14 days.
      retentionPeriod: Duration.days(14),
    });
    this.queue = new Queue(this, 'Queue', {
      encryption: QueueEncryption.SQS_MANAGED,
      enforceSSL: true,
      // AWS recommends six times the function's timeout, so that no message reappears while Lambda retries a throttled
      // invocation.
      visibilityTimeout: Duration.seconds(6 * DELIVERY_TIMEOUT.toSeconds()),
      // A throttled invocation counts as a receive. AWS recommends at least five receives, so that throttling alone
      // does not move a message to the dead-letter queue.
      deadLetterQueue: { queue: this.deadLetterQueue, maxReceiveCount: 10 },
    });

    this.deliver = new ServiceFunction(this, 'DeliverWebhook', {
      config,
      handler: 'webhooks/deliver-webhook',
      description: 'Makes one delivery attempt and, if it fails temporarily, schedules the next',
      access: grantDeliverWebhook(foundation, this),
      memoryMb: config.memoryMb.deliver,
      timeout: DELIVERY_TIMEOUT,
    });
    this.deliver.addEventSource(
      new SqsEventSource(this.queue, {
        batchSize: 1,
        maxConcurrency: config.webhooks.concurrency,
      }),
    );
  }
}
