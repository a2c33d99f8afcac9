import { ArnFormat, Duration, Stack } from 'aws-cdk-lib';
import type { RestApi } from 'aws-cdk-lib/aws-apigateway';
import { Alarm, ComparisonOperator, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch';
import {
  type ILambdaDeploymentConfig,
  LambdaApplication,
  LambdaDeploymentConfig,
  LambdaDeploymentGroup,
} from 'aws-cdk-lib/aws-codedeploy';
import {
  type IRole,
  PolicyDocument,
  PolicyStatement,
  Role,
  ServicePrincipal,
} from 'aws-cdk-lib/aws-iam';
import { Alias, type IFunction, type IVersion } from 'aws-cdk-lib/aws-lambda';
import { Construct } from 'constructs';
import type { StageConfig } from '../config/stage-config.ts';
import { description } from '../observability/runbooks.ts';
import type { ServiceFunction } from '../service-function.ts';

export type Pace = Exclude<StageConfig['rollout'], 'at-once'>;

/** The alias of each function that receives the APIs' requests. */
export const LIVE = 'live';

const PACES: Readonly<Record<Pace, ILambdaDeploymentConfig>> = {
  canary: LambdaDeploymentConfig.CANARY_10PERCENT_5MINUTES,
  linear: LambdaDeploymentConfig.LINEAR_10PERCENT_EVERY_1MINUTE,
};

/** A single failure in a minute may come from another service. */
const FAILURES_A_MINUTE = 3;

/**
 * New versions of functions first receive a part of the requests, and roll back when the API fails. Only
 * for functions that the APIs invoke: a batch keeps invoking the versions that it started with.
 */
export class GradualRollout extends Construct {
  private readonly aliases = new Map<ServiceFunction, Alias>();

  /** The alias that receives the function's requests. */
  aliasOf(fn: ServiceFunction): IFunction {
    const alias =
      this.aliases.get(fn) ??
      new Alias(this, `${fn.node.id}Live`, {
        aliasName: LIVE,
        // The CDK's types of optional properties differ under exactOptionalPropertyTypes.
        version: fn.currentVersion as IVersion,
      });
    this.aliases.set(fn, alias);
    return alias as IFunction;
  }

  /**
   * Shifts all aliases at this pace while the APIs are healthy. Functions catch their errors and return
   * 500, so the gateway's error count includes failures that Lambda's does not.
   */
  watchedBy(apis: readonly RestApi[], pace: Pace, config: Pick<StageConfig, 'alarms'>): void {
    const alarms = apis.map(
      (api) =>
        new Alarm(this, `${api.node.id}Failing`, {
          alarmDescription: description(config, {
            summary: `${api.node.id} returns 5xx while a new version rolls out; the deployment rolls back automatically`,
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
    const role = this.shiftingRole(application);
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

  /**
   * Not AWS's policy for CodeDeploy, which may move every alias of the account. The CDK would add it to a role
   * that it may change.
   */
  private shiftingRole(application: LambdaApplication): IRole {
    const functions = [...this.aliases.keys()].map(({ functionArn }) => functionArn);
    const statements = [
      new PolicyStatement({
        actions: ['lambda:GetAlias', 'lambda:UpdateAlias'],
        resources: functions,
      }),
      new PolicyStatement({
        actions: ['lambda:GetProvisionedConcurrencyConfig'],
        resources: functions.map((arn) => `${arn}:${LIVE}`),
      }),
      // CodeDeploy may ask for several alarms at once, which only the pattern of all allows.
      new PolicyStatement({
        actions: ['cloudwatch:DescribeAlarms'],
        resources: [
          Stack.of(this).formatArn({
            service: 'cloudwatch',
            resource: 'alarm',
            resourceName: '*',
            arnFormat: ArnFormat.COLON_RESOURCE_NAME,
          }),
        ],
      }),
    ];
    // https://docs.aws.amazon.com/codedeploy/latest/userguide/security_confused_deputy.html
    const ofThisApplication = {
      StringEquals: { 'aws:SourceAccount': Stack.of(this).account },
      ArnLike: { 'aws:SourceArn': this.groupsOf(application) },
    };
    return new Role(this, 'Role', {
      assumedBy: new ServicePrincipal('codedeploy.amazonaws.com', {
        conditions: ofThisApplication,
      }),
      inlinePolicies: { shift: new PolicyDocument({ statements }) },
    }).withoutPolicyUpdates();
  }

  private groupsOf({ applicationName }: LambdaApplication): string {
    return Stack.of(this).formatArn({
      service: 'codedeploy',
      resource: 'deploymentgroup',
      resourceName: `${applicationName}/*`,
      arnFormat: ArnFormat.COLON_RESOURCE_NAME,
    });
  }
}
