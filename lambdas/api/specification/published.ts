import * as z from 'zod/mini';

/** Schemas that the OpenAPI document names under `components`; it writes all others inline. */
export const published = z.registry<{ readonly id: string }>();

export function named<Schema extends z.core.$ZodType>(id: string, schema: Schema): Schema {
  published.add(schema, { id });
  return schema;
}
