import { buildLocalApp } from '../../../local/build-local-app.ts';
import { SCHEDULE_FACTOR } from './schedule-factor.ts';

// The local application with a faster delivery schedule. The test mostly waits for retries, so it runs more
// batches and jobs concurrently than usual.
await buildLocalApp((local) => ({
  ...local,
  webhooks: { ...local.webhooks, scheduleFactor: SCHEDULE_FACTOR },
  runningBatches: { inAll: 10, reserved: 0, perTenant: 10 },
  concurrency: { jobs: 5, patchBatches: 2 },
}));
