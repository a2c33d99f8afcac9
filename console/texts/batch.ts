import { count } from '../numbers.ts';

export const BATCH = {
  files: 'Download',
  geojson: 'Table as GeoJSON',
  csv: 'Table as CSV',
  allRasters: 'All rasters as ZIP',
  received: (received: string, total: string) => `${received} of ${total} received …`,
  tooMany: (total: string, most: string) =>
    `The rasters have ${total}; this page packs at most ${most}. Download them one by one, or with the CLI.`,
  retry: (failed: number) => `Retry ${count(failed, 'failed job')}`,
  deliveries: 'Webhook deliveries',
  noWebhook: 'This batch has no webhook.',
  redeliver: 'Deliver again',
  started: 'Time',
  outcome: 'Outcome',
  duration: 'Duration',
  next: (time: string) => `The next attempt is due at ${time}.`,
  states: {
    due: 'Not delivered yet.',
    acknowledged: 'Delivered.',
    permanent: 'Not delivered: the receiver refused it for good.',
    exhausted: 'Not delivered: every attempt failed.',
  },
  outcomes: {
    acknowledged: 'delivered',
    permanent: 'refused for good',
    retry: 'failed',
  },
} as const;
