import { Duration } from 'aws-cdk-lib';
import { type IMetric, MathExpression, Metric } from 'aws-cdk-lib/aws-cloudwatch';
import { Architecture } from 'aws-cdk-lib/aws-lambda';
import type { IBucket } from 'aws-cdk-lib/aws-s3';
import type { Prices } from '../../lambdas/domain/cost/prices.ts';
import { functionsOf, type Watched, type WatchedFunction } from './watched.ts';

const period = Duration.days(1);
const sum = { statistic: 'Sum', period };

/**
 * The daily cost at list prices of everything that AWS measured for the stage, not only for batches. It
 * omits Step Functions, whose transitions are measured only for the whole account, and S3 requests, whose
 * metrics are charged. The cost of batches includes both.
 */
export function measuredCost(watched: Watched, prices: Prices): readonly MathExpression[] {
  return [
    functions(functionsOf(watched), prices),
    table(watched, prices),
    requests(watched, prices),
    stored(watched, prices),
  ];
}

function functions(all: readonly WatchedFunction[], prices: Prices): MathExpression {
  const terms = all.map((fn, index): Term => {
    const gbSecond =
      fn.architecture === Architecture.X86_64 ? prices.x86GbSecond : prices.armGbSecond;
    return {
      // Milliseconds.
      metric: fn.metric('Duration', sum),
      id: `ms${index}`,
      price: (gbSecond * fn.memoryMb) / 1_024 / 1_000,
    };
  });
  const calls = all.map(
    (fn, index): Term => ({
      metric: fn.metric('Invocations', sum),
      id: `calls${index}`,
      price: prices.functionCall,
    }),
  );
  return weightedSum('Lambda', [...terms, ...calls]);
}

function table({ storage }: Watched, prices: Prices): MathExpression {
  const units = (kind: 'Read' | 'Write') =>
    storage.table.metric(`Consumed${kind}CapacityUnits`, sum);
  return weightedSum('DynamoDB', [
    { metric: units('Read'), id: 'reads', price: prices.readUnit },
    { metric: units('Write'), id: 'writes', price: prices.writeUnit },
  ]);
}

function requests({ api }: Watched, prices: Prices): MathExpression {
  return weightedSum('API Gateway', [
    { metric: api.v1.metricCount(sum), id: 'v1', price: prices.apiRequest },
    { metric: api.v2.metricCount(sum), id: 'v2', price: prices.apiRequest },
  ]);
}

/** S3 measures bucket sizes once a day. */
function stored({ storage }: Watched, prices: Prices): MathExpression {
  const price = prices.objectGbMonth / 1e9 / 30;
  return weightedSum('S3 storage', [
    { metric: bytesIn(storage.resultsBucket), id: 'results', price },
    { metric: bytesIn(storage.workBucket), id: 'work', price },
  ]);
}

function bytesIn({ bucketName: BucketName }: Pick<IBucket, 'bucketName'>): Metric {
  return new Metric({
    namespace: 'AWS/S3',
    metricName: 'BucketSizeBytes',
    dimensionsMap: { BucketName, StorageType: 'StandardStorage' },
    statistic: 'Average',
    period,
  });
}

interface Term {
  readonly metric: IMetric;
  /** Unique in the graph; starts with a lower-case letter. */
  readonly id: string;
  /** Per unit of the metric. */
  readonly price: number;
}

/** CloudWatch's expressions have no exponent notation. */
function decimal(price: number): string {
  return price.toFixed(18).replace(/0+$/, '');
}

/** Missing data counts as zero. */
function weightedSum(label: string, terms: readonly Term[]): MathExpression {
  return new MathExpression({
    expression: terms.map(({ id, price }) => `FILL(${id}, 0) * ${decimal(price)}`).join(' + '),
    usingMetrics: Object.fromEntries(terms.map(({ id, metric }) => [id, metric])),
    label,
    period,
  });
}
