import { buffer } from 'node:stream/consumers';
import { createGraphRegressor } from './graph-regressor.ts';

// Loads the graph from standard input, which also runs it; `trial.ts` starts and ends this process.

await createGraphRegressor(await buffer(process.stdin), Number(process.argv[2]));
