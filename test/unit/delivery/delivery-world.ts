import { createPackCatalogue } from '../../../engine/model/pack/catalogue.ts';
import type { Batch } from '../../../lambdas/domain/batch/batch.ts';
import { addSeconds, type Timestamp } from '../../../lambdas/domain/clock.ts';
import { type DeliveryPorts, deliver } from '../../../lambdas/domain/delivery/deliver.ts';
import {
  type DeliveryMessage,
  messageFor,
  type OutboxEvent,
} from '../../../lambdas/domain/delivery/outbox.ts';
import type {
  Exchange,
  LoggedAttempt,
  WebhookRequest,
} from '../../../lambdas/domain/delivery/outcome.ts';
import type { RedeliveryPorts } from '../../../lambdas/domain/delivery/redelivery.ts';
import { jobIdOf } from '../../../lambdas/domain/identity.ts';
import type { JobRecord } from '../../../lambdas/domain/job/job.ts';
import { NO_AREA } from '../../../lambdas/domain/job/planning/measured-area.ts';
import { SigningKeyUnavailable } from '../../../lambdas/domain/job/reading/result-signer.ts';
import {
  type InMemoryPorts,
  inMemoryPorts,
  webhookSecrets,
} from '../../../local/in-memory/ports.ts';
import { completedJob, failedJob } from '../../support/api/job-records.ts';
import { storedRecords } from '../../support/stores/stored-records.ts';

export const BATCH_ID = '0195f1de-7a3c-7c1e-9b53-3f9f6a1f2b70';
export const EVENT_ID = '0195f1de-7a3c-7c1e-9b53-3f9f6a1f2b77';
export const FINISHED_AT = '2026-03-01T12:00:00.000Z';
export const METADATA = '{"b":1.0,"a":1e400,"__proto__":{"x":9223372036854775808}}';

export const BATCH: Batch = {
  batch_id: BATCH_ID,
  tenant: 'farm',
  total_jobs: 2,
  model: null,
  webhook: {
    url: 'https://example.org/hook',
    secret_ciphertext: await webhookSecrets.encrypt('secret', {
      tenant: 'farm',
      batchId: BATCH_ID,
    }),
    jobs: 'full',
  },
  hectares_per_job: 5_000,
  created_at: '2026-03-01T11:58:00.000Z',
  updated_at: FINISHED_AT,
  results_expire_at: '2026-03-31T11:58:00.000Z',
  status: 'partial',
  started_at: '2026-03-01T11:58:02.000Z',
  completed_at: FINISHED_AT,
  completed_jobs: 1,
};

const RECORDS: readonly JobRecord[] = [
  completedJob(0),
  {
    ...failedJob(1),
    error: { code: 'ring_not_closed', message: 'ring 0 is not closed', location: null },
  },
];

const ENTRY = {
  offset: 0,
  length: 1,
  name: null,
  year: 2020,
  model: null,
  ...NO_AREA,
  hasProperties: false,
};

export interface Scheduled {
  readonly message: DeliveryMessage;
  readonly at: Timestamp;
  readonly tenant?: string;
  /** Whether SQS delivers the message again, because its consumer died. */
  readonly receivedBefore?: boolean;
}

export const EVENT: OutboxEvent = {
  batch_id: BATCH_ID,
  event: 'batch.completed',
  event_id: EVENT_ID,
  state: 'due',
  attempts: 0,
  next_attempt_at: FINISHED_AT,
};

/** A finished batch with a due event, and switches for possible failures. */
export class DeliveryWorld {
  now: Timestamp = FINISHED_AT;
  readonly stores = inMemoryPorts(() => new Date(this.now), createPackCatalogue([]));
  readonly records = storedRecords(this.stores.table);
  readonly sent: WebhookRequest[] = [];
  readonly scheduled: Scheduled[] = [];
  readonly deadLetters: OutboxEvent[] = [];
  /** Batches whose attempt could not be queued. */
  readonly left: string[] = [];
  readonly stored = new Map<string, Uint8Array>();
  /** A body that another process stores just before the process under test. */
  rivalBody: Uint8Array | null = null;
  signingKey: 'there' | 'missing' = 'there';
  respond: (request: WebhookRequest) => Promise<Exchange> = async () => respondWith(200);
  readonly breaking = new Set<'recordAttempt' | 'enqueue' | 'deadLetters'>();
  private signatures = 0;

  static async open<World extends DeliveryWorld>(this: new () => World): Promise<World> {
    const world = new this();
    await world.seed();
    return world;
  }

  async seed(): Promise<void> {
    await this.records.storeBatch(BATCH, METADATA);
    for (const record of RECORDS) await this.records.storeJob(BATCH_ID, record);
    await this.records.storeEvent(EVENT);
  }

  passes(seconds: number): void {
    this.now = addSeconds(this.now, seconds);
  }

  event(): Promise<OutboxEvent | null> {
    return this.stores.outbox.read(BATCH_ID, 'batch.completed');
  }

  log(): Promise<readonly LoggedAttempt[]> {
    return this.stores.outbox.attempts(BATCH_ID, 'batch.completed');
  }

  /** The event's next message, as the reconciler or the last attempt would make it. */
  async message(): Promise<DeliveryMessage> {
    const event = await this.event();
    if (event !== null) return messageFor(event);
    return { batch_id: BATCH_ID, event: 'batch.completed', attempt: 1 };
  }

  private breaks(port: 'recordAttempt' | 'enqueue' | 'deadLetters'): void {
    if (this.breaking.delete(port)) throw new Error(`${port} broke`);
  }

  readonly ports: DeliveryPorts & RedeliveryPorts & Pick<InMemoryPorts, 'outbox'> = {
    ...this.stores,
    outbox: {
      ...this.stores.outbox,
      recordAttempt: async (...recording) => {
        this.breaks('recordAttempt');
        return this.stores.outbox.recordAttempt(...recording);
      },
    },
    jobRequests: {
      entries: async () => [ENTRY, ENTRY],
    },
    signer: {
      sign: async (batchId, jobId) => {
        if (this.signingKey === 'missing') throw new SigningKeyUnavailable('no key');
        this.signatures += 1;
        const url = `https://results.example.org/${batchId}/${jobId}?signature=${this.signatures}`;
        return { url, createdAt: this.now, expiresAt: addSeconds(this.now, 86_400) };
      },
    },
    bodies: {
      read: async (_batchId, eventId) => this.stored.get(eventId) ?? null,
      keep: async (_batchId, eventId, body) => {
        const kept = this.stored.get(eventId) ?? this.rivalBody ?? body;
        this.stored.set(eventId, kept);
        return kept;
      },
    },
    receiver: {
      post: (request) => {
        this.sent.push(request);
        return this.respond(request);
      },
    },
    deliveryQueue: {
      enqueue: async (message, delaySeconds, tenant) => {
        this.breaks('enqueue');
        this.scheduled.push({ message, at: addSeconds(this.now, delaySeconds), tenant });
      },
    },
    deadLetters: {
      send: async (event) => {
        this.breaks('deadLetters');
        this.deadLetters.push(event);
      },
    },
    pause: async (seconds) => this.passes(seconds),
    onAttemptNotQueued: (batchId) => this.left.push(batchId),
  };
}

export const INVOCATION_SECONDS = 60;

export async function makeArrival(
  world: DeliveryWorld,
  message?: DeliveryMessage,
  receivedBefore = false,
) {
  const deadline = new Date(addSeconds(world.now, INVOCATION_SECONDS));
  return { message: message ?? (await world.message()), receivedBefore, deadline };
}

export function respondWith(statusCode: number): Exchange {
  return { kind: 'responded', statusCode };
}

export const FIRST_JOB_ID = jobIdOf(BATCH_ID, 0);
export const at = (seconds: number): Timestamp => addSeconds(FINISHED_AT, seconds);

export async function deliverNextMessage(world: DeliveryWorld): Promise<boolean> {
  world.scheduled.sort((a, b) => a.at.localeCompare(b.at));
  const next = world.scheduled.shift();
  if (next === undefined) return false;
  if (next.at > world.now) world.now = next.at;
  await deliver(world.ports, await makeArrival(world, next.message, next.receivedBefore));
  return true;
}
