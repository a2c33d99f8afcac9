import { FilterPattern, type JsonPattern, MetricFilter } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import { NAMESPACE } from '../../lambdas/metric-catalogue.ts';
import type { StageConfig } from '../config/stage-config.ts';
import type { ServiceFunction } from '../service-function.ts';

export interface AuthorizerFaultsProps {
  readonly config: Pick<StageConfig, 'stage'>;
  readonly authorizer: ServiceFunction;
}

/**
 * The faults of the authorizer, counted from its log. AWS's own `Errors` counts every refused key too,
 * as a thrown `Unauthorized` is how an authorizer asks for a 401: anyone could raise an alarm over it.
 *
 * Not `Errors` less the refused: a log line becomes a metric later than an invocation does, and in another
 * period where the two meet a boundary, so a flood of bad keys would still raise the alarm. What a refused
 * key leaves in the log never matches here. Without a fault there is no metric, and nothing to pay.
 */
export class AuthorizerFaults extends Construct {
  readonly metric: MetricFilter['metric'];

  constructor(scope: Construct, id: string, { config, authorizer }: AuthorizerFaultsProps) {
    super(scope, id);
    const filter = new MetricFilter(this, 'Filter', {
      logGroup: authorizer.logGroup,
      filterPattern: FilterPattern.any(OWN_LINE, CRASH),
      // A line tells of no stage, so that the namespace must.
      metricNamespace: `${NAMESPACE}/${config.stage}`,
      metricName: 'AuthorizerFaults',
      metricValue: '1',
    });
    this.metric = (props) => filter.metric({ statistic: 'Sum', ...props });
  }
}

const OWN_LINE = FilterPattern.all(is('event', 'authorizer'), is('level', 'ERROR'));

/**
 * What leaves no line of its own: `platform.report` of an invocation that timed out, ran out of memory,
 * crashed or could not load its code. An error that the function threw has the status `success` there, or
 * the type `Runtime.Unknown`, as it is none of the runtime's.
 * https://docs.aws.amazon.com/lambda/latest/dg/telemetry-schema-reference.html
 */
const CRASH = FilterPattern.all(
  is('type', 'platform.report'),
  FilterPattern.any(
    is('record.status', 'timeout'),
    is('record.status', 'failure'),
    FilterPattern.all(
      is('record.errorType', 'Runtime.*'),
      FilterPattern.stringValue('$.record.errorType', '!=', 'Runtime.Unknown'),
    ),
  ),
);

function is(field: string, value: string): JsonPattern {
  return FilterPattern.stringValue(`$.${field}`, '=', value);
}
