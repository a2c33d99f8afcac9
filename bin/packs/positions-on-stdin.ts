import { text } from 'node:stream/consumers';
import * as z from 'zod';
import { CommandError } from '../operator/command.ts';

const positions = z.array(z.tuple([z.number().min(-180).max(180), z.number().min(-90).max(90)]));

const schema = z.strictObject({
  /** Longitude and latitude in WGS84 degrees of each sample. */
  positions: positions.min(1),
  /** The same of the samples of the training. */
  training: positions.default([]),
});

/** Reads positions from standard input, as JSON. @throws CommandError */
export async function readPositions(): Promise<z.infer<typeof schema>> {
  const parsed = schema.safeParse(JSON.parse(await text(process.stdin)));
  if (parsed.success) return parsed.data;
  throw new CommandError(`standard input: ${z.prettifyError(parsed.error)}`);
}
