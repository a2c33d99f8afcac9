type Level = 'info' | 'error';

/** What is logged: ids, figures, names; never a polygon, an address, a key or a secret. */
type Members = Readonly<Record<string, unknown>> & { readonly event?: never };

/** Writes one event to the log. */
export type Log = (level: Level, event: string, members: Members) => void;

/**
 * As an object, not as text: Lambda's JSON log format puts the one argument of a console call under
 * `message` as it is, so members are fields of Logs Insights (`message.batch_id`), and adds the
 * time, the level and the request's id itself.
 */
export const log: Log = (level, event, members) => console[level]({ event, ...members });

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
