import { log, toLoggedFault } from '../observability/log.ts';
import { stores } from '../wiring.ts';
import type { OperationList, OperationPorts } from './definition.ts';
import type { Handler } from './http/handle.ts';
import { createWeigher, type MeterPorts, meterOperation, type Weigher } from './http/metered.ts';
import { serve } from './serve.ts';

/** The operations need an API key, and each request counts against the tenant's rate. */
export function serveKeyed<List extends OperationList>(
  list: List,
  openPorts: (weigh: Weigher) => OperationPorts<List>,
): Handler {
  return serve(
    list,
    () => openPorts(createWeigher(meterPorts())),
    (operation) => meterOperation(meterPorts(), operation),
  );
}

function meterPorts(): MeterPorts {
  const { paces, clock } = stores();
  return {
    paces,
    clock,
    onFailure: (error) => log('error', 'request-rate', { fault: toLoggedFault(error) }),
  };
}
