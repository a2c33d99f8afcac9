import { type BatchWork, type FunctionMemory, usageOfBatch } from './batch-usage.ts';
import { type Cost, costOf } from './cost.ts';
import { PRICES_AS_OF, type PricedRegion, pricesIn } from './prices.ts';

/** The deployment's parameters of the cost. */
export interface Pricing {
  readonly memory: FunctionMemory;
  readonly region: string;
}

export interface BatchCost extends Cost {
  /** The region of the prices: the deployment's own, or the fallback. */
  readonly region: PricedRegion;
  readonly pricesAsOf: string;
}

/** The cost at list prices, from the batch's creation to its webhook. */
export function costOfBatch(work: BatchWork, { memory, region }: Pricing): BatchCost {
  const prices = pricesIn(region);
  const cost = costOf(usageOfBatch(work, memory), prices.of);
  return { ...cost, region: prices.region, pricesAsOf: PRICES_AS_OF };
}
