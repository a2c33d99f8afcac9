import { type BatchWork, type FunctionMemory, type Usage, usageOfBatch } from './batch-usage.ts';
import { PRICES_AS_OF, type PricedRegion, type Prices, pricesIn } from './prices.ts';

/** US dollars, by the service that charges them. */
interface Cost {
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

export function computeCost(usage: Usage, prices: Prices): Cost {
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

export interface Pricing {
  readonly memory: FunctionMemory;
  readonly region: string;
}

export interface BatchCost extends Cost {
  /** The region whose prices were used: the stage's, or else the fallback. */
  readonly region: PricedRegion;
  readonly pricesAsOf: string;
}

export function costOfBatch(work: BatchWork, { memory, region }: Pricing): BatchCost {
  const prices = pricesIn(region);
  const cost = computeCost(usageOfBatch(work, memory), prices.prices);
  return { ...cost, region: prices.region, pricesAsOf: PRICES_AS_OF };
}
