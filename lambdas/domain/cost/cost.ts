import type { Prices } from './prices.ts';
import type { Usage } from './usage.ts';

/** US dollars, by the service that charges them. */
export interface Cost {
  readonly api: number;
  readonly functions: number;
  readonly stateMachine: number;
  readonly table: number;
  readonly objects: number;
  readonly queue: number;
  readonly keys: number;
  readonly logs: number;
  readonly total: number;
}

export function costOf(usage: Usage, prices: Prices): Cost {
  const parts = {
    api: usage.apiRequests * prices.apiRequest,
    functions:
      usage.functionCalls * prices.functionCall +
      usage.armGbSeconds * prices.armGbSecond +
      usage.x86GbSeconds * prices.x86GbSecond,
    stateMachine: usage.stateTransitions * prices.stateTransition,
    table: usage.readUnits * prices.readUnit + usage.writeUnits * prices.writeUnit,
    objects:
      usage.objectWrites * prices.objectWrite +
      usage.objectReads * prices.objectRead +
      usage.objectGbMonths * prices.objectGbMonth,
    queue: usage.messages * prices.message,
    keys: usage.keyUses * prices.keyUse,
    logs: (usage.logBytes / 1e9) * prices.logGb,
  };
  return { ...parts, total: Object.values(parts).reduce((sum, part) => sum + part, 0) };
}
