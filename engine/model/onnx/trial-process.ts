import { buffer } from 'node:stream/consumers';
import { createGraphRegressor } from './graph-regressor.ts';

// Reads a graph from standard input and loads it; loading a graph also runs it. `trial.ts` starts and ends this
// process.

await createGraphRegressor(await buffer(process.stdin), Number(process.argv[2]));
