import { type BatchStatus, type Fetch, SoilClient } from 'soil-batch-client';
import type { ServiceDescription } from '../../../local/service-file.ts';

export type Status = BatchStatus;

/** A client that retries without limit, and its number of failed attempts. */
export function persistentClient({ v2_url: baseUrl, api_key: apiKey }: ServiceDescription) {
  const failures = { count: 0 };
  const fetch: Fetch = async (url, init) => {
    const response = await globalThis.fetch(url, init);
    // The emulator reports a crashed authorizer like an authorizer that rejects the key.
    if (response.status !== 401 && response.status !== 403) return response;
    throw new Error(`HTTP ${response.status}`);
  };
  const client = new SoilClient({
    ...{ baseUrl, apiKey, fetch },
    retries: { attempts: Infinity, maxWaitSeconds: Infinity, firstWaitSeconds: 0.5 },
    onWait: () => {
      failures.count += 1;
    },
  });
  return { client, failures };
}
