import { type BatchWork, type FunctionMemory, usageOfBatch } from './batch-usage.ts';
import { type Cost, costOf } from './cost.ts';
import { PRICES_AS_OF, type PricedRegion, pricesIn } from './prices.ts';

/** What the cost of a batch depends on beside its work. */
export interface Pricing {
  readonly memory: FunctionMemory;
  readonly region: string;
}

export interface BatchCost extends Cost {
  /** Whose prices these are: the deployment's own, or those that stand in for them. */
  readonly region: PricedRegion;
  readonly pricesAsOf: string;
}

/** At list prices, from the batch's creation to its webhook. */
export function costOfBatch(work: BatchWork, { memory, region }: Pricing): BatchCost {
  const prices = pricesIn(region);
  const cost = costOf(usageOfBatch(work, memory), prices.of);
  return { ...cost, region: prices.region, pricesAsOf: PRICES_AS_OF };
}
