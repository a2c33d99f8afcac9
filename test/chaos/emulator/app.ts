import { buildLocalApp } from '../../../local/build-local-app.ts';
import { SCHEDULE_FACTOR } from './schedule-factor.ts';

// The local application with a faster delivery schedule. The test mostly waits for retries, so more
// batches and jobs run at the same time than usual.
await buildLocalApp((local) => ({
  ...local,
  webhooks: { ...local.webhooks, scheduleFactor: SCHEDULE_FACTOR },
  runningBatches: { inAll: 10, reserved: 0, perTenant: 10 },
  concurrency: { jobs: 5, patchBatches: 2 },
}));
