import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import * as z from 'zod/mini';
import {
  batchFinishedSchema,
  batchFinishedSchemaText,
} from '../../../lambdas/domain/delivery/batch-finished.ts';

const page = readFileSync('docs/events.md', 'utf8');

describe('the page about events', () => {
  it('comes with the schema that `npm run docs` writes', () => {
    const text = readFileSync('docs/batch-finished.schema.json', 'utf8');
    expect(text).toBe(batchFinishedSchemaText());
  });

  it('has a valid example', () => {
    const [, example = ''] = /```json\n(.*?)```/s.exec(page) ?? [];
    expect(() => z.parse(batchFinishedSchema, JSON.parse(example))).not.toThrow();
  });
});
