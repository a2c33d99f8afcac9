import type { DeliveryLog } from '../../../domain/delivery/outbox.ts';
import { deliveriesView } from '../../../domain/delivery/read-deliveries.ts';
import {
  MAX_REDELIVERIES,
  type RedeliveryPorts,
  type RedeliveryResult,
  redeliver,
} from '../../../domain/delivery/redelivery.ts';
import type { Operation } from '../../handling/handle.ts';
import { batchNotFound } from '../../problems/not-found.ts';
import { Problem } from '../../problems/problem.ts';
import { readId, readQuery } from '../../requests/query.ts';
import { tenantOf } from '../../requests/request.ts';
import { pollAgain, uncached } from '../../responses/response.ts';

export function redeliverOperation(
  ports: RedeliveryPorts & { readonly log: DeliveryLog },
): Operation {
  return async (request) => {
    readQuery(request, []);
    const redelivery = await redeliver(ports, tenantOf(request), readId(request, 'batch_id'));
    switch (redelivery.kind) {
      case 'batch-unknown':
        throw batchNotFound();
      case 'refused':
        throw new Problem('not-redeliverable', REFUSALS[redelivery.because]);
      case 'too-soon':
        throw tooSoon(redelivery.retryAfterSeconds);
      case 'accepted': {
        const { batch, event } = redelivery;
        const attempts = await ports.log.attempts(batch.batchId, event.event);
        return uncached(202, deliveriesView(batch, event, attempts), pollAgain(false));
      }
    }
  };
}

const REFUSALS: Readonly<
  Record<Extract<RedeliveryResult, { kind: 'refused' }>['because'], string>
> = {
  'no webhook': 'The batch was created without a webhook_url.',
  'not finished': 'The batch is not finished. Its webhook is sent when it is.',
  'used up': `The batch has had ${MAX_REDELIVERIES} redeliveries, the maximum. Its status holds the same information.`,
};

function tooSoon(seconds: number): Problem {
  return new Problem(
    'throttled',
    `A redelivery was requested recently, or an attempt is in progress; retry in ${seconds} s.`,
    { headers: { 'Retry-After': String(seconds) } },
  );
}
