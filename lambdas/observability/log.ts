import { LogFormatter, Logger, LogItem } from '@aws-lambda-powertools/logger';
import type { Batch, BatchStore } from '../domain/batch/batch.ts';

type Level = 'info' | 'error';

/** Fields must not contain a polygon, signed URL, key or secret. */
type Fields = Readonly<Record<string, unknown>> & { readonly event?: never };

/** Logs one event as one line of JSON with the fields listed in `docs/logs.md`. */
export type Log = (level: Level, event: string, fields: Fields) => void;

/** The trace ID links an event to the request in X-Ray. */
class EventFormatter extends LogFormatter {
  override formatAttributes(
    ...[{ timestamp, logLevel, message, xRayTraceId }, fields]: Parameters<
      LogFormatter['formatAttributes']
    >
  ): LogItem {
    const line = { timestamp: timestamp.toISOString(), level: logLevel, event: message };
    return new LogItem({ attributes: { ...line, ...fields, trace_id: xRayTraceId } });
  }
}

const logger = new Logger({ logFormatter: new EventFormatter() });

export const log: Log = (level, event, fields) => logger[level](event, { ...fields });

export function toLoggedFault(error: unknown): object {
  return error instanceof Error
    ? { name: error.name, message: error.message, stack: error.stack }
    : { message: String(error) };
}

/** Logs a failure in the work on a batch. The reconciler tries this work again later. */
export function logFailure(event: string): (batchId: string, error: unknown) => void {
  return (batchId, error) =>
    log('error', event, { batch_id: batchId, fault: toLoggedFault(error) });
}

/** Returns a batch that the function has already read, otherwise undefined. */
export type KnownBatch = (batchId: string) => Pick<Batch, 'tenant' | 'total_jobs'> | undefined;

/** Keeps the batch that was read last, for the function's log line. A function works on one batch at a time. */
export function observeBatches<Store extends Pick<BatchStore, 'readBatch'>>(
  batches: Store,
): { readonly batches: Store; readonly knownBatch: KnownBatch } {
  let last: Batch | undefined;
  return {
    batches: {
      ...batches,
      async readBatch(batchId) {
        const batch = await batches.readBatch(batchId);
        if (batch !== null) last = batch;
        return batch;
      },
    },
    knownBatch: (batchId) => (last?.batch_id === batchId ? last : undefined),
  };
}

/**
 * Names become snake case, arrays their length, and errors their code, because an error's message may describe the
 * polygon.
 */
export function toLoggableFields(fields: object): object {
  const loggables = Object.entries(fields).map(([name, value]: [string, unknown]) => [
    name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
    toLoggableValue(value),
  ]);
  return Object.fromEntries(loggables);
}

function toLoggableValue(value: unknown): unknown {
  if (Array.isArray(value)) return value.length;
  if (typeof value !== 'object' || value === null) return value;
  return 'code' in value && typeof value.code === 'string' ? value.code : toLoggableFields(value);
}
