import { buildLocalApp } from './build-local-app.ts';

await buildLocalApp();
