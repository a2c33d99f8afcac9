import { env } from '../../../lambdas/adapters/environment.ts';
import { listDeployedHandlers, readFunctionCode } from '../../../lib/build/function-code.ts';

/** The variables that each function's bundle reads from `env`, by the handler's file. */
export const VARIABLES_READ: Readonly<Record<string, readonly string[]>> = Object.fromEntries(
  listDeployedHandlers().map((handler) => [handler, listVariables(handler)]),
);

function listVariables(handler: string): readonly string[] {
  const code = readFunctionCode(handler)['index.mjs'] ?? '';
  // Minifying keeps the names of properties.
  const read = new Set([...code.matchAll(/\.([A-Z_]+)\b/g)].map(([, name]) => name));
  return Object.getOwnPropertyNames(env).filter((name) => read.has(name));
}
