import * as z from 'zod/mini';
import { batchFinishedSchema } from '../../domain/delivery/batch-finished.ts';

/** The schema of the event's detail, in the draft that EventBridge's schema registry reads. */
export function batchFinishedText(): string {
  const schema = z.toJSONSchema(batchFinishedSchema, { target: 'draft-4', io: 'input' });
  return `${JSON.stringify(schema, null, 2)}\n`;
}
