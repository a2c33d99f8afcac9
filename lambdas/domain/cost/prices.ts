/** AWS prices in one region, in US dollars, without free tiers, discounts and tax. */
export interface Prices {
  /** One request to a REST API. */
  readonly apiRequest: number;
  readonly functionCall: number;
  readonly armGbSecond: number;
  readonly x86GbSecond: number;
  /** One transition of a STANDARD state machine. */
  readonly stateTransition: number;
  /** One request unit of an on-demand table. */
  readonly readUnit: number;
  readonly writeUnit: number;
  /** One PUT, COPY, POST or LIST request. */
  readonly objectWrite: number;
  /** One GET or other request. */
  readonly objectRead: number;
  readonly objectGbMonth: number;
  /** One request to a standard queue with message groups: a fair queue costs $0.10 more per million. */
  readonly message: number;
  readonly keyUse: number;
  readonly logGb: number;
}

const EVERYWHERE = {
  functionCall: 0.2 / 1e6,
  armGbSecond: 0.0000133334,
  x86GbSecond: 0.0000166667,
  stateTransition: 25 / 1e6,
  message: 0.5 / 1e6,
  keyUse: 0.03 / 1e4,
};

/**
 * List prices of the first tier, by region. Source: the pricing pages of API Gateway, Lambda, Step Functions, DynamoDB,
 * S3, SQS, KMS and CloudWatch (https://aws.amazon.com/pricing/), as of `PRICES_AS_OF`.
 */
const TABLE = {
  'us-east-1': {
    ...EVERYWHERE,
    apiRequest: 3.5 / 1e6,
    readUnit: 0.125 / 1e6,
    writeUnit: 0.625 / 1e6,
    objectWrite: 5 / 1e6,
    objectRead: 0.4 / 1e6,
    objectGbMonth: 0.023,
    logGb: 0.5,
  },
  'eu-central-1': {
    ...EVERYWHERE,
    apiRequest: 3.7 / 1e6,
    readUnit: 0.1525 / 1e6,
    writeUnit: 0.7625 / 1e6,
    objectWrite: 5.4 / 1e6,
    objectRead: 0.43 / 1e6,
    objectGbMonth: 0.0245,
    logGb: 0.63,
  },
} as const satisfies Readonly<Record<string, Prices>>;

export type PricedRegion = keyof typeof TABLE;

export const PRICES_AS_OF = '2026-03-01';

const FALLBACK_REGION: PricedRegion = 'us-east-1';

export function pricesIn(region: string): {
  readonly region: PricedRegion;
  readonly prices: Prices;
} {
  const priced = Object.keys(TABLE).find((known): known is PricedRegion => known === region);
  const named = priced ?? FALLBACK_REGION;
  return { region: named, prices: TABLE[named] };
}
