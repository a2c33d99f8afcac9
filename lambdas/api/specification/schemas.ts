import * as z from 'zod';
import { webhookBody } from '../../domain/batch/batch-schema.ts';
import {
  deliveriesMember,
  deliveryAttempt,
  webhookTestMember,
} from '../../domain/delivery/delivery-schema.ts';
import { jobMember } from '../../domain/job/job-schema.ts';
import { patchBatchMember } from '../../domain/patch-batch/patch-batch-schema.ts';
import { batchListResponse } from '../contract/batch-list.ts';
import { createRequest, jobRequest } from '../contract/create-request.ts';
import { estimateResponse, jobEstimate } from '../contract/estimate.ts';
import { limitsResponse } from '../contract/limits.ts';
import { model, modelsResponse } from '../contract/models.ts';
import {
  batchStatusResponse,
  creationResponse,
  healthResponse,
  jobStatusResponse,
  problemBody,
  retryResponse,
} from '../contract/responses.ts';
import { usageResponse } from '../contract/usage.ts';
import { webhookTestRequest } from '../contract/webhook-test-request.ts';
import type { Schema } from './openapi.ts';

/** The schemas that judge requests and describe answers, under their published names. */
export const PUBLISHED = {
  CreateBatch: createRequest,
  JobRequest: jobRequest,
  BatchCreated: creationResponse,
  BatchRetried: retryResponse,
  BatchStatus: batchStatusResponse,
  BatchList: batchListResponse,
  Estimate: estimateResponse,
  JobEstimate: jobEstimate,
  Job: jobMember,
  JobStatus: jobStatusResponse,
  PatchBatch: patchBatchMember,
  BatchCompleted: webhookBody,
  Deliveries: deliveriesMember,
  DeliveryAttempt: deliveryAttempt,
  TestWebhook: webhookTestRequest,
  WebhookTested: webhookTestMember,
  Usage: usageResponse,
  Limits: limitsResponse,
  Models: modelsResponse,
  Model: model,
  Health: healthResponse,
  // The gateway's own errors have no `instance`: it can't write the path safely into JSON.
  Problem: problemBody.partial({ instance: true }),
} as const satisfies Record<string, z.core.$ZodType>;

export type SchemaName = keyof typeof PUBLISHED;

export function reference(name: SchemaName): Schema {
  return { $ref: `#/components/schemas/${name}` };
}

let written: Readonly<Record<string, Schema>> | undefined;

/** Written once a container: the same for every edition. */
export function publishedSchemas(): Readonly<Record<string, Schema>> {
  written ??= writeSchemas();
  return written;
}

function writeSchemas(): Readonly<Record<string, Schema>> {
  const registry = z.registry<{ id: string }>();
  for (const [id, schema] of Object.entries(PUBLISHED)) registry.add(schema, { id });
  const { schemas } = z.toJSONSchema(registry, {
    io: 'input',
    uri: (id) => `#/components/schemas/${id}`,
    override: ({ jsonSchema }) => {
      // Names of members are strings in any JSON.
      delete jsonSchema.propertyNames;
      // A tuple has exactly its members; JSON Schema would allow fewer and more.
      if (jsonSchema.prefixItems !== undefined) {
        jsonSchema.minItems = jsonSchema.prefixItems.length;
        jsonSchema.maxItems = jsonSchema.prefixItems.length;
      }
    },
  });
  return Object.fromEntries(
    Object.entries(schemas).map(([name, { $schema, $id, ...schema }]) => [name, schema as Schema]),
  );
}

/** A parameter's own schema, written where it stands. */
export function inlined(schema: z.core.$ZodType): Schema {
  const { $schema, ...inline } = z.toJSONSchema(schema, { io: 'input' });
  return inline as Schema;
}
