import {
  type Handled,
  type Handler,
  type Operation,
  respond,
} from '../../lambdas/api/http/handle.ts';
import { type Log, log } from '../../lambdas/observability/log.ts';

/** Creates a handler for one operation, which is built at its first request. */
export function handle(handled: Handled, build: () => Operation, write: Log = log): Handler {
  let built: Operation | undefined;
  return (event) =>
    respond(
      event,
      handled,
      () => {
        built ??= build();
        return built;
      },
      write,
    );
}
