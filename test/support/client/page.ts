import { runScenario } from './scenarios.ts';

Object.assign(globalThis, { runScenario });
