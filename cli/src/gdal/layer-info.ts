import * as z from 'zod';

const id = z.object({ authority: z.string(), code: z.union([z.string(), z.number()]) });
const ellipsoid = z.looseObject({
  semi_major_axis: z.union([z.number(), z.looseObject({ value: z.number() })]).optional(),
});
const datum = z.looseObject({ name: z.string(), ellipsoid: ellipsoid.optional() });

/** PROJJSON (https://proj.org/en/stable/specifications/projjson.html), as far as it is read. */
export interface ProjJson {
  readonly type?: string | undefined;
  readonly name: string;
  readonly id?: z.infer<typeof id> | undefined;
  readonly datum?: z.infer<typeof datum> | undefined;
  readonly datum_ensemble?: z.infer<typeof datum> | undefined;
  readonly base_crs?: ProjJson | undefined;
  readonly source_crs?: ProjJson | undefined;
  readonly components?: readonly ProjJson[] | undefined;
}

const projJson: z.ZodType<ProjJson> = z.looseObject({
  type: z.string().optional(),
  name: z.string().default(''),
  id: id.optional(),
  datum: datum.optional(),
  datum_ensemble: datum.optional(),
  get base_crs() {
    return projJson.optional();
  },
  get source_crs() {
    return projJson.optional();
  },
  get components() {
    return z.array(projJson).optional();
  },
});

const layer = z.object({
  name: z.string(),
  geometryFields: z
    .array(
      z.object({
        coordinateSystem: z.object({ wkt: z.string(), projjson: projJson.optional() }).nullish(),
      }),
    )
    .default([]),
  /** Of a GeoPackage: its key, which is not among the fields. */
  fidColumnName: z.string().default(''),
  featureCount: z.number().default(0),
  fields: z
    .array(z.object({ name: z.string(), type: z.string(), subType: z.string().optional() }))
    .default([]),
});

export type LayerInfo = z.infer<typeof layer>;

/** The output of `ogrinfo -json`, as far as it is read. */
export const datasetInfo = z.object({ layers: z.array(layer) });
