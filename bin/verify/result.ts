import { SoilClient, SoilError } from 'soil-batch-client';
import * as z from 'zod';
import { CommandError } from '../operator/command.ts';

export interface Result {
  readonly jobId: string;
  /** The model as `id@version`. */
  readonly model: string;
  readonly geometry: unknown;
}

const ITEM_URL = /^(https?:\/\/.+)\/v1\/batch\/([^/?#]+)\/jobs\/([^/?#]+)\/item$/i;

/** @throws CommandError */
export async function readResult(
  itemUrl: string,
  apiKey: string,
): Promise<Result & { readonly rasterUrl: string }> {
  const [, baseUrl, batchId, jobId] = ITEM_URL.exec(itemUrl) ?? [];
  if (baseUrl === undefined || batchId === undefined || jobId === undefined) {
    throw new CommandError(`${itemUrl}: expected …/v1/batch/{batch_id}/jobs/{job_id}/item`);
  }
  if (apiKey === '') throw new CommandError('set API_KEY to your API key');
  try {
    const batch = new SoilClient({ baseUrl, apiKey, retries: { attempts: 3 } }).batch(batchId);
    return {
      ...parseResult(await batch.item(jobId)),
      rasterUrl: await batch.resultUrl(jobId),
    };
  } catch (error) {
    throw error instanceof SoilError ? new CommandError(error.message) : error;
  }
}

const schema = z.object({
  id: z.string(),
  geometry: z.unknown(),
  links: z.array(z.object({ rel: z.string(), 'mlm:name': z.string().optional() })),
});

/** @throws CommandError */
export function parseResult(item: unknown): Result {
  const { success, data, error } = schema.safeParse(item);
  if (!success) {
    throw new CommandError(`not an Item of this service: ${z.prettifyError(error)}`);
  }
  const model = data.links.find(({ rel }) => rel === 'derived_from')?.['mlm:name'];
  if (model === undefined) throw new CommandError('the Item does not name a model (mlm:name)');
  return { jobId: data.id, model, geometry: data.geometry };
}
