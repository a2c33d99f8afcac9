import { LogFormatter, Logger, LogItem } from '@aws-lambda-powertools/logger';

type Level = 'info' | 'error';

/** What is logged: ids, figures, names; never a polygon, an address, a key or a secret. */
type Members = Readonly<Record<string, unknown>> & { readonly event?: never };

/** Writes one event to the log: one line of JSON, its members as `docs/logs.md` lists them. */
export type Log = (level: Level, event: string, members: Members) => void;

/** One flat object a line. The trace's id finds the line's own request in X-Ray, and the reverse. */
class FlatLine extends LogFormatter {
  override formatAttributes(
    ...[{ timestamp, logLevel, message, xRayTraceId }, members]: Parameters<
      LogFormatter['formatAttributes']
    >
  ): LogItem {
    const line = { timestamp: timestamp.toISOString(), level: logLevel, event: message };
    return new LogItem({ attributes: { ...line, ...members, trace_id: xRayTraceId } });
  }
}

const logger = new Logger({ logFormatter: new FlatLine() });

export const log: Log = (level, event, members) => logger[level](event, { ...members });

/** An error as the log shows it. */
export function faultOf(error: unknown): object {
  return error instanceof Error
    ? { name: error.name, message: error.message, stack: error.stack }
    : { message: String(error) };
}

/** For ports that are told of what failed for a batch and will be mended later. */
export function logFailure(event: string): (batchId: string, error: unknown) => void {
  return (batchId, error) => log('error', event, { batch_id: batchId, fault: faultOf(error) });
}
