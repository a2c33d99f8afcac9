import { Duration } from 'aws-cdk-lib';
import type { RestApi } from 'aws-cdk-lib/aws-apigateway';
import { Alarm, ComparisonOperator, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch';
import {
  type ILambdaDeploymentConfig,
  LambdaApplication,
  LambdaDeploymentConfig,
  LambdaDeploymentGroup,
} from 'aws-cdk-lib/aws-codedeploy';
import { ManagedPolicy, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Alias, type IFunction, type IVersion } from 'aws-cdk-lib/aws-lambda';
import { Construct } from 'constructs';
import type { StageConfig } from './config/stage-config.ts';
import { description } from './observability/alarm.ts';
import type { ServiceFunction } from './service-function.ts';

export type Pace = Exclude<StageConfig['rollout'], 'at-once'>;

const PACES: Readonly<Record<Pace, ILambdaDeploymentConfig>> = {
  canary: LambdaDeploymentConfig.CANARY_10PERCENT_5MINUTES,
  linear: LambdaDeploymentConfig.LINEAR_10PERCENT_EVERY_1MINUTE,
};

/** One failure in a minute may be another service's. */
const FAILURES_A_MINUTE = 3;

/**
 * New versions of functions get a part of the requests first, and lose them again when the API
 * fails. For what answers requests only: batches call the very versions they began with.
 */
export class GradualRollout extends Construct {
  private readonly aliases = new Map<ServiceFunction, Alias>();

  /** What requests are sent to in place of the function. */
  aliasOf(fn: ServiceFunction): IFunction {
    const alias =
      this.aliases.get(fn) ??
      new Alias(this, `${fn.node.id}Live`, {
        aliasName: 'live',
        // CDK's own types of optional members differ under exactOptionalPropertyTypes.
        version: fn.currentVersion as IVersion,
      });
    this.aliases.set(fn, alias);
    return alias as IFunction;
  }

  /**
   * Shifts all aliases at this pace, as long as the APIs answer. Functions catch what they throw and
   * answer 500, so the gateway's count tells of failures that Lambda's does not.
   */
  watchedBy(apis: readonly RestApi[], pace: Pace, config: Pick<StageConfig, 'alarms'>): void {
    const alarms = apis.map(
      (api) =>
        new Alarm(this, `${api.node.id}Failing`, {
          alarmDescription: description(config, {
            says: `${api.node.id} answers 5xx while a new version takes over: the rollout goes back by itself`,
            runbook: 'rollout-failing',
          }),
          metric: api.metricServerError({ period: Duration.minutes(1), statistic: 'Sum' }),
          threshold: FAILURES_A_MINUTE,
          evaluationPeriods: 1,
          comparisonOperator: ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
          treatMissingData: TreatMissingData.NOT_BREACHING,
        }),
    );
    const application = new LambdaApplication(this, 'Application');
    const role = new Role(this, 'Role', {
      assumedBy: new ServicePrincipal('codedeploy.amazonaws.com'),
      managedPolicies: [
        ManagedPolicy.fromAwsManagedPolicyName('service-role/AWSCodeDeployRoleForLambdaLimited'),
      ],
    });
    for (const [fn, alias] of this.aliases) {
      new LambdaDeploymentGroup(this, `${fn.node.id}Shift`, {
        application,
        alias,
        role,
        deploymentConfig: PACES[pace],
        alarms,
      });
    }
  }
}
