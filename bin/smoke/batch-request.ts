import { readFileSync } from 'node:fs';
import path from 'node:path';
import * as z from 'zod';
import { PROJECT_FOLDER } from '../../local/paths.ts';
import { CommandError } from '../operator/command.ts';

export const EXAMPLE = path.join(PROJECT_FOLDER, 'examples', 'meuse-batch.json');

const batchRequest = z.looseObject({
  jobs: z
    .array(
      z.looseObject({
        year: z.number(),
        polygon: z.looseObject({
          type: z.string(),
          coordinates: z.array(z.array(z.tuple([z.number(), z.number()]))).min(1),
        }),
      }),
    )
    .min(1),
});

/** The body of a batch within the area of the stage's models. */
export type BatchRequest = z.infer<typeof batchRequest>;

/** @throws CommandError if the file contains none */
export function readBatchRequest(file: string): BatchRequest {
  try {
    return batchRequest.parse(JSON.parse(readFileSync(file, 'utf8')));
  } catch (error) {
    const why = error instanceof z.ZodError ? z.prettifyError(error) : String(error);
    throw new CommandError(`--batch ${file} is not a batch of Polygons: ${why}`);
  }
}

/** A job with a square of about 200 m in the middle of the first job's polygon: it uses little quota. */
export function smallJob({ jobs: [first] }: BatchRequest): object {
  if (first === undefined) throw new Error('the batch has no job');
  const [x, y] = middleOf(first.polygon.coordinates[0] ?? []);
  const half = 0.001;
  const [west, east, south, north] = [x - half, x + half, y - half, y + half];
  const ring = [
    [west, south],
    [east, south],
    [east, north],
    [west, north],
    [west, south],
  ];
  return { name: 'smoke', year: first.year, polygon: { type: 'Polygon', coordinates: [ring] } };
}

/**
 * The same square with 2,400 vertices on each edge: a body of about 1 MB that covers few cells.
 * A job may have 10,000 vertices.
 */
export function manyVertices(request: BatchRequest, jobs: number): object {
  const small = smallJob(request) as { polygon: { coordinates: number[][][] } };
  const ring = small.polygon.coordinates[0] ?? [];
  const cut = ring.slice(1).flatMap((end, at) => {
    const start = ring[at] ?? end;
    return Array.from({ length: 2_400 }, (_, step) =>
      start.map((from, axis) => from + ((end[axis] ?? from) - from) * (step / 2_400)),
    );
  });
  const polygon = { type: 'Polygon', coordinates: [[...cut, cut[0]]] };
  return { jobs: Array.from({ length: jobs }, () => ({ ...small, polygon })) };
}

function middleOf(ring: readonly (readonly [number, number])[]): readonly [number, number] {
  const corners = ring.slice(0, -1);
  const mean = (axis: 0 | 1) =>
    corners.reduce((sum, corner) => sum + corner[axis], 0) / corners.length;
  return [mean(0), mean(1)];
}
