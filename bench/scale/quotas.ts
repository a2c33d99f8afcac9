export interface Quota {
  readonly value: number;
  readonly unit: string;
  readonly page: string;
  readonly raised: string;
}

const LAMBDA = 'https://docs.aws.amazon.com/lambda/latest/dg/gettingstarted-limits.html';
const STATES = 'https://docs.aws.amazon.com/step-functions/latest/dg/service-quotas.html';
const DYNAMODB =
  'https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/ServiceQuotas.html';

/**
 * Read on 2026-11-21 in stored copies of AWS's pages (those of Step Functions from mid-2026). The largest three Regions
 * (us-east-1, us-west-2, eu-west-1) allow more than these values: 5,000 transitions and 300 starts per second.
 */
export const QUOTAS = {
  functions: {
    value: 1_000,
    unit: 'Lambda concurrency',
    page: LAMBDA,
    raised: 'to tens of thousands',
  },
  openMapRuns: { value: 1_000, unit: 'open map runs', page: STATES, raised: 'no' },
  transitions: { value: 800, unit: 'state transitions per second', page: STATES, raised: 'yes' },
  starts: { value: 150, unit: 'execution starts per second', page: STATES, raised: 'yes' },
  tableWrites: {
    value: 40_000,
    unit: 'write units per second for each table',
    page: DYNAMODB,
    raised: 'yes',
  },
  newTableWrites: {
    value: 4_000,
    unit: 'write units per second for each new table',
    page: 'https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/warm-throughput-scenarios.html',
    raised: 'by pre-warming',
  },
  partitionWrites: {
    value: 1_000,
    unit: 'write units per second for each partition',
    page: 'https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/warm-throughput-scenarios.html',
    raised: 'no',
  },
  objectWrites: {
    value: 3_500,
    unit: 'object writes per second for each prefix',
    page: 'https://docs.aws.amazon.com/AmazonS3/latest/userguide/optimizing-performance.html',
    raised: 'automatically, within the hour',
  },
} as const satisfies Readonly<Record<string, Quota>>;

/** The Lambda concurrency of a new account, which AWS raises with use. */
export const NEW_ACCOUNT_CONCURRENCY = 10;
