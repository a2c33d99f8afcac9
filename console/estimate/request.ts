import type { CreateBatch } from 'soil-batch-client';
import type { Draft } from '../state/session.ts';

/** The jobs of a draft, in the order of its fields. */
export function requestOf({ fields, year, batchName }: Draft): CreateBatch {
  const name = batchName.trim();
  return {
    ...(name === '' ? {} : { name }),
    jobs: fields.map((field) => ({
      polygon: field.polygon,
      year,
      ...(field.name.trim() === '' ? {} : { name: field.name.trim() }),
    })),
  };
}
