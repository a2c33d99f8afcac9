import { buildLocalApp } from '../../local/build-local-app.ts';

await buildLocalApp((local) => ({ ...local, rollout: 'canary' }));
