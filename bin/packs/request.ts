import { text } from 'node:stream/consumers';
import * as z from 'zod';
import { STAGES } from '../../lib/stages.ts';
import { CommandError } from '../operator/command.ts';

/** Longitude and latitude in WGS84 degrees. */
const lonLat = z.tuple([z.number().min(-180).max(180), z.number().min(-90).max(90)]);

/** A pack's folder, of whose map for the year, and positions of samples. */
export const sampleRequest = z.strictObject({
  folder: z.string().min(1),
  /** It is required if the pack has several periods. */
  year: z.int().min(1000).max(9999).nullable().default(null),
  positions: z.array(lonLat).min(1),
  /** Half a unit in the last decimal of the positions, in degrees: reads all cells that they may lie in, and those around. */
  rounding: z
    .tuple([z.number().min(0), z.number().min(0)])
    .nullable()
    .default(null),
});

/** Without `positions`, some cells are predicted: spread over the grid, or near a given position. */
export const predictRequest = sampleRequest.omit({ rounding: true }).extend({
  positions: z.array(lonLat).min(1).nullable().default(null),
  /** Positions of the training samples, whose cells are found. */
  training: z.array(lonLat).default([]),
  near: lonLat.nullable().default(null),
  /** The default is 100, or 5 with covariates at a URL. */
  cells: z.int().min(1).nullable().default(null),
  /** The pack is first checked as a deployment of the stage does. */
  stage: z.enum(STAGES).nullable().default(null),
});

/** Reads a request of `soil_packs/service.py` from standard input, as JSON. @throws CommandError */
export async function readRequest<Request>(schema: z.ZodType<Request>): Promise<Request> {
  const parsed = schema.safeParse(JSON.parse(await text(process.stdin)));
  if (parsed.success) return parsed.data;
  throw new CommandError(z.prettifyError(parsed.error));
}
