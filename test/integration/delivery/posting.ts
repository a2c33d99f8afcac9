import {
  httpReceiver,
  type ReceiverOptions,
} from '../../../lambdas/adapters/webhook/http-receiver.ts';
import { classifyExchange } from '../../../lambdas/domain/delivery/outcome.ts';

const LOCAL = { schemes: ['https', 'http'], ports: 'any', privateReceivers: 'allow' } as const;
export const PUBLIC = { ...LOCAL, privateReceivers: 'refuse' } as const;
export const BODY = Buffer.from('{"batch_id":"b-1","n":1.0}', 'utf8');

export function post(url: string, options: Partial<ReceiverOptions> = {}) {
  const receiver = httpReceiver({ policy: LOCAL, userAgent: 'test/1', ...options });
  return receiver.post({ url, headers: { 'X-Service-Event': 'batch.completed' }, body: BODY });
}

export async function readOutcome(url: string, options: Partial<ReceiverOptions> = {}) {
  return classifyExchange(await post(url, options));
}
