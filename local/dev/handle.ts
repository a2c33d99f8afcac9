import {
  type Handled,
  type Handler,
  type Operation,
  respond,
} from '../../lambdas/api/http/handle.ts';
import { type Log, log } from '../../lambdas/observability/log.ts';

/** A handler of one operation, which is built at its first request; a deployed function serves several. */
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
