import { buildLocalApp } from '../../local/build-local-app.ts';
import { manyBatches } from './many-batches.ts';

await buildLocalApp(manyBatches);
