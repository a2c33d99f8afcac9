import * as z from 'zod/mini';
import { batchState, finalBatchState } from '../../domain/batch/batch-schema.ts';
import { attemptOutcome, deliveryState } from '../../domain/delivery/delivery-schema.ts';
import { stockSchema, summarySchema } from '../../domain/job/job-summary.ts';
import {
  errorLocation,
  jobErrorCode,
  jobResult,
  jobSchema,
  jobWarning,
  jobWarningCode,
  temporality,
} from '../../domain/job/reading/job-schema.ts';
import { workState } from '../../domain/wire.ts';
import type { Schema } from './openapi.ts';
import { named, published } from './published.ts';

nameSharedSchemas();

/**
 * Names the schemas that several objects share. Client generators derive the name of an unnamed enum from its parent
 * and field, so one enum in two objects would become two types, and two enums could get the same name.
 */
function nameSharedSchemas(): void {
  named('BatchState', batchState);
  named('FinalBatchState', finalBatchState);
  named('WorkState', workState);
  named('JobErrorCode', jobErrorCode);
  named('JobWarningCode', jobWarningCode);
  named('JobWarning', jobWarning);
  named('WebhookJob', jobSchema);
  named('JobResult', jobResult);
  named('JobSummary', summarySchema);
  named('Stock', stockSchema);
  named('ErrorLocation', errorLocation);
  named('Temporality', temporality);
  named('AttemptOutcome', attemptOutcome);
  named('DeliveryState', deliveryState);
}

/** @throws Error if the schema has no name */
export function referenceTo(schema: z.core.$ZodType): Schema {
  const name = published.get(schema)?.id;
  if (name === undefined) throw new Error('a referenced schema needs a name; see published.ts');
  return { $ref: `#/components/schemas/${name}` };
}

let written: Readonly<Record<string, Schema>> | undefined;

export function publishedSchemas(): Readonly<Record<string, Schema>> {
  written ??= writeSchemas();
  return written;
}

function writeSchemas(): Readonly<Record<string, Schema>> {
  const { schemas } = z.toJSONSchema(published, {
    io: 'input',
    uri: (id) => `#/components/schemas/${id}`,
    override: ({ jsonSchema }) => {
      // Redundant, because names of JSON fields are always strings.
      delete jsonSchema.propertyNames;
    },
  });
  return Object.fromEntries(
    Object.entries(schemas)
      .map(([name, { $schema, $id, ...schema }]) => [name, schema as Schema] as const)
      .sort(([a], [b]) => a.localeCompare(b, 'en')),
  );
}

/** Returns a reference if the schema has a name. */
export function toOpenApiSchema(schema: z.core.$ZodType): Schema {
  if (published.has(schema)) return referenceTo(schema);
  const { $schema, ...inline } = z.toJSONSchema(schema, { io: 'input' });
  return inline as Schema;
}
