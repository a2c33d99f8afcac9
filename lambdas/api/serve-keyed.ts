import { log, toLoggedFault } from '../observability/log.ts';
import { stores } from '../ports.ts';
import type { Handler, Operation } from './http/handle.ts';
import { metered, type Weigh, weighing } from './http/metered.ts';
import type { HandlerFile } from './routes.ts';
import { type Operations, serve } from './serve.ts';

/**
 * The Lambda handler of a function whose operations need an API key. It counts requests against the
 * tenant's rate.
 */
export function serveKeyed<File extends Exclude<HandlerFile, 'open'>>(
  file: File,
  build: (weigh: Weigh) => Operations<File>,
): Handler {
  return serve(file, () => {
    const { paces, clock } = stores();
    const meter = {
      paces,
      clock,
      onFailure: (error: unknown) => log('error', 'request-rate', { fault: toLoggedFault(error) }),
    };
    const operations = Object.entries<Operation>(build(weighing(meter)));
    const counted = operations.map(([name, operation]) => [name, metered(meter, operation)]);
    return Object.fromEntries(counted) as Operations<File>;
  });
}
