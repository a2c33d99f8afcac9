import { env } from '../../../lambdas/adapters/environment.ts';
import { deployedHandlers, functionCode } from '../../../lib/build/function-code.ts';

/** What each function reads from its environment, by its handler's file: what its bundle reads of `env`. */
export const VARIABLES_READ: Readonly<Record<string, readonly string[]>> = Object.fromEntries(
  deployedHandlers().map((handler) => [handler, variablesIn(handler)]),
);

function variablesIn(handler: string): readonly string[] {
  const code = functionCode(handler)['index.mjs'] ?? '';
  // Minifying keeps the names of properties.
  const read = new Set([...code.matchAll(/\.([A-Z_]+)\b/g)].map(([, name]) => name));
  return Object.getOwnPropertyNames(env).filter((name) => read.has(name));
}
