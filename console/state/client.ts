import { SoilClient, type Wait } from 'soil-batch-client';
import { type Store, store } from './store.ts';

/** A lost connection or a restarted service ends nothing: the user sees why the page waits. */
const PATIENT = { attempts: 1_000, maxWaitSeconds: 24 * 60 * 60, firstWaitSeconds: 1 };

export interface OpenedClient {
  readonly client: SoilClient;
  /** Of the API, for commands that users copy. */
  readonly baseUrl: string;
  /** Why a request waits to be sent again; null once there is a response. */
  readonly waiting: Store<Wait | null>;
}

/**
 * The API of this deployment, with the key of its user. The key stays inside.
 * @throws SoilError if the key cannot be part of a header
 */
export function openClient(baseUrl: URL, apiKey: string): OpenedClient {
  const waiting = store<Wait | null>(null);
  const client = new SoilClient({
    baseUrl: baseUrl.href,
    apiKey,
    retries: PATIENT,
    onWait: (wait) => waiting.set(wait),
    async fetch(url, init) {
      const response = await fetch(url, init);
      if (response.status !== 429 && response.status < 500) waiting.set(null);
      return response;
    },
  });
  return { client, baseUrl: baseUrl.href, waiting };
}
