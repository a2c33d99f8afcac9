import * as z from 'zod/mini';
import type { PackCatalogue } from '#engine/model/pack/catalogue.ts';
import type { ViewOf } from '../../wire.ts';
import type { JobModel } from '../job.ts';

/** A model as tables and statuses describe it. Fields that only the pack states are null once the pack is gone. */
export const modelDescription = z.strictObject({
  model: z.string().check(z.describe('`id@version`')),
  model_sha256: z
    .string()
    .check(
      z.describe(
        'SHA-256 over the digests of the model’s files, in `sha256sum` format, at the time the job was planned',
      ),
    ),
  property: z.nullable(z.string()).check(z.describe('What the model predicts')),
  unit: z.nullable(z.string()).check(z.describe('UDUNITS spelling')),
  depth_cm: z
    .nullable(z.array(z.number()).check(z.length(2)))
    .check(z.describe('Upper and lower limits of the layer')),
  sample_support: z
    .nullable(z.string())
    .check(z.describe('The sample that one value and its interval describe')),
  substance: z
    .nullable(z.string())
    .check(
      z.describe(
        'The substance that a stock measures, such as carbon; null if the model does not name it',
      ),
    ),
});

export type ModelDescription = ViewOf<typeof modelDescription>;

export function describeModel(
  catalogue: PackCatalogue,
  { id, sha256 }: Pick<JobModel, 'id' | 'sha256'>,
): ModelDescription {
  const { property, sample_support } = catalogue.findMap(id, undefined)?.manifest ?? {};
  return {
    model: id,
    model_sha256: sha256,
    property: property?.name ?? null,
    unit: property?.unit ?? null,
    depth_cm: property?.depth_cm ?? null,
    sample_support: sample_support ?? null,
    substance: property?.substance ?? null,
  };
}

/** Lists each model once for each digest with which jobs used it. */
export function describeModels(
  catalogue: PackCatalogue,
  models: readonly JobModel[],
): readonly ModelDescription[] {
  const distinct = new Map(models.map((model) => [`${model.id} ${model.sha256}`, model]));
  return [...distinct.values()].map((model) => describeModel(catalogue, model));
}
