import type { DeliveryLog } from '../../../domain/delivery/delivery-log.ts';
import { deliveriesMember } from '../../../domain/delivery/delivery-schema.ts';
import { deliveriesView } from '../../../domain/delivery/read-deliveries.ts';
import {
  MAX_REDELIVERIES,
  REDELIVERY_INTERVAL_SECONDS,
  type RedeliveryAnswer,
  type RedeliveryPorts,
  redeliver,
} from '../../../domain/delivery/redelivery.ts';
import { readId, readQuery } from '../../contract/query.ts';
import type { Operation } from '../../http/handle.ts';
import { batchNotFound } from '../../http/not-found.ts';
import { Problem } from '../../http/problem.ts';
import { tenantOf } from '../../http/request.ts';
import { pollAgain, uncached } from '../../http/response.ts';
import type { OperationSpecification } from '../../specification/operation.ts';
import example from './redeliver.example.json' with { type: 'json' };

export function redeliverOperation(
  ports: RedeliveryPorts & { readonly log: DeliveryLog },
): Operation {
  return async (request) => {
    readQuery(request, []);
    const answer = await redeliver(ports, tenantOf(request), readId(request, 'batch_id'));
    switch (answer.kind) {
      case 'batch-unknown':
        throw batchNotFound();
      case 'refused':
        throw new Problem('not-redeliverable', REFUSALS[answer.because]);
      case 'too-soon':
        throw tooSoon(answer.retryAfterSeconds);
      case 'accepted': {
        const { batch, event } = answer;
        const attempts = await ports.log.attempts(batch.batchId, event.event);
        return uncached(202, deliveriesView(batch, event, attempts), pollAgain(false));
      }
    }
  };
}

const REFUSALS: Readonly<
  Record<Extract<RedeliveryAnswer, { kind: 'refused' }>['because'], string>
> = {
  'no webhook': 'The batch was created without a webhook_url: there is nowhere to deliver to.',
  'not finished': 'The batch is not finished: its webhook is sent once it is.',
  'used up': `The batch was delivered again ${MAX_REDELIVERIES} times, the most there are; its status has everything.`,
};

function tooSoon(seconds: number): Problem {
  return new Problem(
    'throttled',
    `A redelivery was asked for, or an attempt is being made; ask again in ${seconds} s.`,
    { headers: { 'Retry-After': String(seconds) } },
  );
}

export const redeliverSpecification: OperationSpecification = {
  tag: 'Batches',
  summary: 'Deliver a webhook again',
  description: `Sends the outcome of a finished batch once more, whatever became of it before: a new body with fresh signed URLs and the member \`redelivery\`, under a \`webhook-id\` of its own, on a new schedule of retries. Once in ${REDELIVERY_INTERVAL_SECONDS} s, at most ${MAX_REDELIVERIES} times a batch. The request has no body.`,
  parameters: ['batchId'],
  response: {
    status: 202,
    description: 'The first attempt is due now',
    headers: ['Retry-After', 'Cache-Control'],
    links: ['status', 'deliveries'],
    content: { schema: deliveriesMember, example: example },
  },
  problems: ['batch-not-found', 'not-redeliverable'],
};
