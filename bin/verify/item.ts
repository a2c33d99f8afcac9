import { readFileSync } from 'node:fs';
import * as z from 'zod';
import { CommandError } from '../operator/command.ts';
import type { ItemApi } from './api.ts';

const sha256 = z.string().regex(/^[0-9a-f]{64}$/, 'a SHA-256 digest in lower-case hex');

/** What the command reads of a STAC Item of this service. */
const schema = z.object({
  id: z.string(),
  geometry: z.unknown(),
  properties: z.object({
    'processing:software': z.object({ 'soil-batch': z.string().optional() }).optional(),
    'soil:model_sha256': z.record(z.string(), sha256).optional(),
    'soil:polygon_sha256': sha256.optional(),
    'soil:geometry_sha256': sha256.optional(),
  }),
  links: z.array(z.object({ rel: z.string(), 'mlm:name': z.string().optional() })),
  assets: z.object({ data: z.object({ 'file:size': z.number().optional() }) }),
});

export interface Item {
  readonly jobId: string;
  /** `id@version` */
  readonly model: string;
  readonly geometry: unknown;
  readonly bytes: number | undefined;
  /** SHA-256; absent fields are not compared. */
  readonly digests: {
    readonly model: Readonly<Record<string, string>> | undefined;
    readonly polygon: string | undefined;
    readonly geometry: string | undefined;
  };
}

/** @throws CommandError */
export async function readItem(where: string, api: ItemApi | null): Promise<Item> {
  return itemOf(where, api === null ? jsonOf(where, textOf(where)) : await api.item());
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new CommandError(`${file}: ${error instanceof Error ? error.message : String(error)}`);
  }
}

function itemOf(where: string, item: unknown): Item {
  const { success, data, error } = schema.safeParse(item);
  if (!success) {
    const [issue] = error.issues;
    const at = issue?.path.join('.') || 'the whole text';
    throw new CommandError(`${where}: not an Item of this service: ${at}: ${issue?.message}`);
  }
  const { properties, links, assets } = data;
  const model = links.find(({ rel }) => rel === 'derived_from')?.['mlm:name'];
  if (model === undefined) throw new CommandError(`${where}: the Item names no model (mlm:name)`);
  return {
    jobId: data.id,
    model,
    geometry: data.geometry,
    bytes: assets.data['file:size'],
    digests: {
      model: properties['soil:model_sha256'],
      polygon: properties['soil:polygon_sha256'],
      geometry: properties['soil:geometry_sha256'],
    },
  };
}

function jsonOf(where: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new CommandError(`${where}: not JSON`);
  }
}
