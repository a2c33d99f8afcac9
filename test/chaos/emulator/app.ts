import { buildLocalApp } from '../../../local/build-local-app.ts';
import { SCHEDULE_FACTOR } from './schedule-factor.ts';

// The local application, its schedule of deliveries at a faster clock.
await buildLocalApp((local) => ({
  ...local,
  webhooks: { ...local.webhooks, scheduleFactor: SCHEDULE_FACTOR },
}));
