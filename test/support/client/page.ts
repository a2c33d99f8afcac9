import { outcomeOf } from './scenarios.ts';

Object.assign(globalThis, { outcomeOf });
