import { Duration } from 'aws-cdk-lib';
import { SqsEventSource } from 'aws-cdk-lib/aws-lambda-event-sources';
import { Queue, QueueEncryption } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import type { Foundation } from './foundation.ts';
import { deliverWebhook } from './permissions/background.ts';
import { ServiceFunction } from './service-function.ts';

/** A receiver has 10 s to answer; signing, storing and recording an attempt take the rest. */
const DELIVERY_TIMEOUT = Duration.seconds(30);

export interface WebhooksProps {
  readonly foundation: Foundation;
}

/**
 * The queue that times delivery attempts, and the function that makes them. The queue is a timer
 * only: what is due stands in the outbox items. Its messages are in groups by tenant, which makes a
 * standard queue a fair one: a tenant whose receivers are slow waits behind itself.
 */
export class Webhooks extends Construct {
  readonly queue: Queue;
  /** Deliveries that were given up: each is a person's job. */
  readonly deadLetterQueue: Queue;
  readonly deliver: ServiceFunction;

  constructor(scope: Construct, id: string, { foundation }: WebhooksProps) {
    super(scope, id);
    const { config } = foundation;

    this.deadLetterQueue = new Queue(this, 'DeadLetterQueue', {
      encryption: QueueEncryption.SQS_MANAGED,
      enforceSSL: true,
      // SQS's maximum: time for a person to look.
      retentionPeriod: Duration.days(14),
    });
    this.queue = new Queue(this, 'Queue', {
      encryption: QueueEncryption.SQS_MANAGED,
      enforceSSL: true,
      // AWS asks for six times the function's timeout, so that throttled receives don't come twice.
      visibilityTimeout: Duration.seconds(6 * DELIVERY_TIMEOUT.toSeconds()),
      // A throttled function counts as a receive; five at least, or what was never tried is dead.
      deadLetterQueue: { queue: this.deadLetterQueue, maxReceiveCount: 10 },
    });

    this.deliver = new ServiceFunction(this, 'DeliverWebhook', {
      config,
      handler: 'webhooks/deliver-webhook',
      description: 'Makes one delivery attempt and times the next',
      access: deliverWebhook(foundation, this),
      memoryMb: config.memoryMb.deliver,
      timeout: DELIVERY_TIMEOUT,
    });
    this.deliver.addEventSource(
      new SqsEventSource(this.queue, {
        // A slow receiver holds up its own message, no other.
        batchSize: 1,
        maxConcurrency: config.webhooks.concurrency,
      }),
    );
  }
}
