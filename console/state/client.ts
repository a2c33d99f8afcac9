import { SoilClient, type Wait } from 'soil-batch-client';
import { type Store, store } from './store.ts';

/** A lost connection or a restarted service ends nothing: the user sees why the page waits. */
const PATIENT = { attempts: 1_000, maxWaitSeconds: 24 * 60 * 60, firstWaitSeconds: 1 };

export interface OpenedClient {
  readonly client: SoilClient;
  /** The URL of the API, which the commands that users copy begin with. */
  readonly baseUrl: string;
  /** The longest wait of the requests that will be sent again; null if none waits. */
  readonly waiting: Store<Wait | null>;
  /** Calls the listener for each response that refuses the key. */
  readonly onRefusal: (listener: () => void) => void;
}

/**
 * The API of this deployment, with the key of its user. The key stays inside.
 * @throws SoilError if the key cannot be part of a header
 */
export function openClient(baseUrl: URL, apiKey: string): OpenedClient {
  const waiting = store<Wait | null>(null);
  /** The present waits, with the time at which each ends. */
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
