import { buildLocalApp } from '../../../local/build-local-app.ts';
import { SCHEDULE_FACTOR } from './schedule-factor.ts';

// The local application, its schedule of deliveries at a faster clock. Most of its time here is
// waiting for retries: batches and jobs wait side by side, and the rest of them in line.
await buildLocalApp((local) => ({
  ...local,
  webhooks: { ...local.webhooks, scheduleFactor: SCHEDULE_FACTOR },
  runningBatches: { inAll: 10, perTenant: 10 },
  concurrency: { jobs: 5, patchBatches: 2 },
}));
