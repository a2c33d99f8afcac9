import { FilterPattern, type JsonPattern, MetricFilter } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import { NAMESPACE } from '../../lambdas/observability/metric-catalogue.ts';
import type { StageConfig } from '../config/stage-config.ts';
import type { ServiceFunction } from '../service-function.ts';

export interface AuthorizerFaultsProps {
  readonly config: Pick<StageConfig, 'stage'>;
  readonly authorizer: ServiceFunction;
}

/**
 * The faults of the authorizer, counted from its log. The metric `Errors` of AWS also counts every rejected
 * key, because an authorizer throws `Unauthorized` to get a 401: anyone could trigger an alarm on it.
 *
 * `Errors` minus rejected keys would not work: metrics from logs arrive later than `Errors` and may fall into
 * another period, so a flood of invalid keys would still trigger the alarm. The log lines of a rejected key
 * never match this filter. Without faults the metric has no data and costs nothing.
 */
export class AuthorizerFaults extends Construct {
  readonly metric: MetricFilter['metric'];

  constructor(scope: Construct, id: string, { config, authorizer }: AuthorizerFaultsProps) {
    super(scope, id);
    const filter = new MetricFilter(this, 'Filter', {
      logGroup: authorizer.logGroup,
      filterPattern: FilterPattern.any(OWN_LINE, CRASH),
      // The log lines do not name the stage, so the namespace does.
      metricNamespace: `${NAMESPACE}/${config.stage}`,
      metricName: 'AuthorizerFaults',
      metricValue: '1',
    });
    this.metric = (props) => filter.metric({ statistic: 'Sum', ...props });
  }
}

const OWN_LINE = FilterPattern.all(is('event', 'authorizer'), is('level', 'ERROR'));

/**
 * Faults that the authorizer can't log: the `platform.report` of an invocation that timed out, ran out of
 * memory, crashed or could not load its code. When the function throws an error, the report has the status
 * `success`, or an error type outside `Runtime.*`, or `Runtime.Unknown`; none of them matches.
 * https://docs.aws.amazon.com/lambda/latest/dg/telemetry-schema-reference.html (fields);
 * https://github.com/aws/aws-lambda-runtime-interface-emulator (which status and type an error gets)
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
