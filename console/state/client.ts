import { SoilClient, type Wait } from 'soil-batch-client';
import { type Store, store } from './store.ts';

/** Requests outlast a lost connection or a restart of the service; the user sees why the page waits. */
const PATIENT = { attempts: 1_000, maxWaitSeconds: 24 * 60 * 60, firstWaitSeconds: 1 };

export interface OpenedClient {
  readonly client: SoilClient;
  readonly baseUrl: string;
  /** The longest wait among requests that will be retried; null if no request waits. */
  readonly waiting: Store<Wait | null>;
  readonly onRefusal: (listener: () => void) => void;
}

/**
 * Opens this deployment's API with the user's key.
 * @throws SoilError if the key cannot be part of a header
 */
export function openClient(baseUrl: URL, apiKey: string): OpenedClient {
  const waiting = store<Wait | null>(null);
  const waits = new Map<Wait, number>();
  const showLongest = () => {
    const [longest] = [...waits].sort(([, a], [, b]) => b - a);
    waiting.set(longest?.[0] ?? null);
  };
  let refused = () => {};
  const client = new SoilClient({
    baseUrl: baseUrl.href,
    apiKey,
    retries: PATIENT,
    async fetch(url, init) {
      const response = await fetch(url, init);
      if (response.status === 401) refused();
      return response;
    },
    onWait(wait) {
      waits.set(wait, Date.now() + wait.seconds * 1_000);
      showLongest();
      wait.over.then(() => {
        waits.delete(wait);
        showLongest();
      });
    },
  });
  const onRefusal = (listener: () => void) => {
    refused = listener;
  };
  return { client, baseUrl: baseUrl.href, waiting, onRefusal };
}
