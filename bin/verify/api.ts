import { SoilClient, SoilError } from 'soil-batch-client';
import { CommandError } from '../operator/command.ts';

/** An Item of the API, and the raster of its job. */
export interface ItemApi {
  /** @throws CommandError */
  item(): Promise<unknown>;
  /** @throws CommandError */
  rasterUrl(): Promise<string>;
}

const ITEM = /^(.+)\/v1\/batch\/([^/?#]+)\/jobs\/([^/?#]+)\/item$/;

/**
 * The API of an Item's URL; null if it is a file.
 * @throws CommandError
 */
export function apiOf(where: string, key: string | undefined): ItemApi | null {
  if (!/^https?:\/\//i.test(where)) return null;
  const [, baseUrl, batchId, jobId] = ITEM.exec(where) ?? [];
  if (baseUrl === undefined || batchId === undefined || jobId === undefined) {
    throw new CommandError(`${where}: expected …/v1/batch/{batch_id}/jobs/{job_id}/item`);
  }
  if (key === undefined || key === '') throw new CommandError('set API_KEY to your API key');
  const batch = clientOf(baseUrl, key).batch(batchId);
  return {
    item: () => batch.item(jobId).catch(failed),
    rasterUrl: () => batch.resultUrl(jobId).catch(failed),
  };
}

function clientOf(baseUrl: string, apiKey: string): SoilClient {
  try {
    return new SoilClient({ baseUrl, apiKey, retries: { attempts: 3 } });
  } catch (error) {
    return failed(error);
  }
}

function failed(error: unknown): never {
  throw error instanceof SoilError ? new CommandError(error.message) : error;
}
