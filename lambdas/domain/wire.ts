import * as z from 'zod/mini';

/** A UTC time to the millisecond (RFC 3339). */
export const time = z
  .string()
  .check(z.regex(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/), z.meta({ format: 'date-time' }));
export const count = z.int().check(z.nonnegative());
export const batchId = z.uuid({ version: 'v7' });
export const jobId = z.uuid({ version: 'v5' });
export const workState = z.enum(['pending', 'processing', 'completed', 'failed']);

export type ViewOf<Schema extends z.core.$ZodType> = DeeplyReadonly<z.infer<Schema>>;

type DeeplyReadonly<T> = T extends object ? { readonly [K in keyof T]: DeeplyReadonly<T[K]> } : T;
