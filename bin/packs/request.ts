import { text } from 'node:stream/consumers';
import * as z from 'zod';
import { STAGES } from '../../lib/stages.ts';
import { CommandError } from '../operator/command.ts';

/** Longitude and latitude in WGS84 degrees. */
const lonLat = z.tuple([z.number().min(-180).max(180), z.number().min(-90).max(90)]);

export const sampleRequest = z.strictObject({
  folder: z.string().min(1),
  /** Required if the pack has several periods. */
  year: z.int().min(1000).max(9999).nullable().default(null),
  positions: z.array(lonLat).min(1),
  /**
   * Half a unit in the last decimal of the positions, in degrees. If given, all cells in which a position may lie are
   * read, and the cells around them.
   */
  rounding: z
    .tuple([z.number().min(0), z.number().min(0)])
    .nullable()
    .default(null),
});

/** Without `positions`, some cells are predicted, either spread over the grid or near a given position. */
export const predictRequest = sampleRequest.omit({ rounding: true }).extend({
  positions: z.array(lonLat).min(1).nullable().default(null),
  training: z.array(lonLat).default([]),
  near: lonLat.nullable().default(null),
  /**
   * How many cells to predict: by default 100, or 5 with covariates at URLs. With `positions`, how many cells of the
   * map to list: by default none.
   */
  cells: z.int().min(1).nullable().default(null),
  /** If given, the pack is first checked as in a deployment of this stage. */
  stage: z.enum(STAGES).nullable().default(null),
});

/** Reads a request of `soil_packs/service.py` as JSON from standard input. @throws CommandError */
export async function readRequest<Request>(schema: z.ZodType<Request>): Promise<Request> {
  const parsed = schema.safeParse(JSON.parse(await text(process.stdin)));
  if (parsed.success) return parsed.data;
  throw new CommandError(z.prettifyError(parsed.error));
}
