import { Duration } from 'aws-cdk-lib';
import { type IMetric, MathExpression, Metric } from 'aws-cdk-lib/aws-cloudwatch';
import { Architecture } from 'aws-cdk-lib/aws-lambda';
import type { IBucket } from 'aws-cdk-lib/aws-s3';
import type { Prices } from '../../lambdas/domain/cost/prices.ts';
import type { ServiceFunction } from '../service-function.ts';
import { functionsOf, type Watched } from './watched.ts';

const period = Duration.days(1);
const sum = { statistic: 'Sum', period };

/**
 * What AWS measured, an amount a day at list prices: all that the stage did, batches or not. Step
 * Functions measures transitions of the whole account alone, and S3's requests are not measured for
 * nothing: of these the cost of batches tells.
 */
export function pricedUse(watched: Watched, prices: Prices): readonly MathExpression[] {
  return [
    functions(functionsOf(watched), prices),
    table(watched, prices),
    requests(watched, prices),
    stored(watched, prices),
  ];
}

function functions(all: readonly ServiceFunction[], prices: Prices): MathExpression {
  const terms = all.map((fn, index): Term => {
    const gbSecond =
      fn.architecture === Architecture.X86_64 ? prices.x86GbSecond : prices.armGbSecond;
    return {
      // Milliseconds.
      metric: fn.metricDuration(sum),
      id: `ms${index}`,
      price: (gbSecond * fn.memoryMb) / 1_024 / 1_000,
    };
  });
  const calls = all.map(
    (fn, index): Term => ({
      metric: fn.metricInvocations(sum),
      id: `calls${index}`,
      price: prices.functionCall,
    }),
  );
  return added('Lambda', [...terms, ...calls]);
}

function table({ storage }: Watched, prices: Prices): MathExpression {
  const units = (kind: 'Read' | 'Write') =>
    storage.table.metric(`Consumed${kind}CapacityUnits`, sum);
  return added('DynamoDB', [
    { metric: units('Read'), id: 'reads', price: prices.readUnit },
    { metric: units('Write'), id: 'writes', price: prices.writeUnit },
  ]);
}

function requests({ api }: Watched, prices: Prices): MathExpression {
  return added('API Gateway', [
    { metric: api.v1.metricCount(sum), id: 'v1', price: prices.apiRequest },
    { metric: api.v2.metricCount(sum), id: 'v2', price: prices.apiRequest },
  ]);
}

/** S3 measures what lies there once a day. */
function stored({ storage }: Watched, prices: Prices): MathExpression {
  const price = prices.objectGbMonth / 1e9 / 30;
  return added('S3, stored', [
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
  /** Of one graph; lower case first. */
  readonly id: string;
  /** Of one unit. */
  readonly price: number;
}

/** CloudWatch's expressions know no exponents. */
function decimal(price: number): string {
  return price.toFixed(18).replace(/0+$/, '');
}

/** Where nothing was measured there was nothing. */
function added(label: string, terms: readonly Term[]): MathExpression {
  return new MathExpression({
    expression: terms.map(({ id, price }) => `FILL(${id}, 0) * ${decimal(price)}`).join(' + '),
    usingMetrics: Object.fromEntries(terms.map(({ id, metric }) => [id, metric])),
    label,
    period,
  });
}
