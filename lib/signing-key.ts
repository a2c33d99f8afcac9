import { CustomResource, Duration, RemovalPolicy } from 'aws-cdk-lib';
import { Rule, Schedule } from 'aws-cdk-lib/aws-events';
import { LambdaFunction } from 'aws-cdk-lib/aws-events-targets';
import { PolicyDocument, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import { CfnRotationSchedule } from 'aws-cdk-lib/aws-secretsmanager';
import { Provider } from 'aws-cdk-lib/custom-resources';
import { Construct } from 'constructs';
import { grantCreateSigningKeys, grantRemoveSigningKeys } from './permissions/background.ts';
import { allowWritingLogs, ServiceFunction } from './service-function.ts';
import type { Foundation } from './stateful-stack.ts';

export const ROTATION_DAYS = 30;

/**
 * Secrets Manager retries a failed rotation within two days, so a key older than this means that rotation does not
 * work.
 */
export const MAX_KEY_AGE_DAYS = ROTATION_DAYS + 2;

/**
 * S3 does not accept a new key immediately, so the functions test the key until several tests in a row succeed. The
 * limit is below the 15 minutes of the CDK's provider, so that the provider can report a failure.
 */
const UNTIL_ACCEPTED = Duration.minutes(14);

export interface SigningKeyProps {
  readonly foundation: Foundation;
}

/**
 * The key that signs result URLs: created by the first deployment, replaced every 30 days, and deleted 25 hours after
 * it was replaced. It never appears in a template, an output or a log.
 */
export class SigningKey extends Construct {
  readonly functions: readonly ServiceFunction[];
  /** This function also revokes a leaked key. */
  readonly rotateKey: ServiceFunction;

  constructor(scope: Construct, id: string, { foundation }: SigningKeyProps) {
    super(scope, id);
    const { config, secrets } = foundation;
    const access = grantCreateSigningKeys(foundation);

    const firstKey = new ServiceFunction(this, 'FirstKey', {
      config,
      handler: 'signing-key/first-key',
      description: 'Creates the first signing key at deployment',
      access,
      timeout: UNTIL_ACCEPTED,
    });
    const rotateKey = new ServiceFunction(this, 'RotateKey', {
      config,
      handler: 'signing-key/rotate-key',
      description: "Runs the steps of Secrets Manager's rotation, and revokes a leaked key",
      access,
      timeout: UNTIL_ACCEPTED,
    });
    const removeReplacedKeys = new ServiceFunction(this, 'RemoveReplacedKeys', {
      config,
      handler: 'signing-key/remove-replaced-keys',
      description: 'Deletes replaced keys whose URLs have all expired',
      access: grantRemoveSigningKeys(foundation),
      timeout: Duration.minutes(1),
    });
    this.rotateKey = rotateKey;
    this.functions = [firstKey, rotateKey, removeReplacedKeys];

    const first = this.createFirstKey(firstKey, foundation);
    this.rotate(rotateKey, secrets.signingSecretArn).node.addDependency(first, rotateKey);
    new Rule(this, 'Hourly', {
      description: 'Deletes a replaced key once its last URL has expired',
      schedule: Schedule.rate(Duration.hours(1)),
      targets: [new LambdaFunction(removeReplacedKeys)],
    });
  }

  /** Creates the first key. The deployment waits for this resource, so it ends with a working key in the secret. */
  private createFirstKey(
    firstKey: ServiceFunction,
    { config, secrets }: Foundation,
  ): CustomResource {
    const logGroup = new LogGroup(this, 'FirstKeyProviderLogs', {
      retention: config.logRetentionDays,
      removalPolicy: RemovalPolicy.DESTROY,
    });
    // The CDK's own role could write to every log group of the account.
    const role = new Role(this, 'FirstKeyProviderRole', {
      assumedBy: new ServicePrincipal('lambda.amazonaws.com'),
      inlinePolicies: { logs: new PolicyDocument({ statements: [allowWritingLogs(logGroup)] }) },
    });
    return new CustomResource(this, 'First', {
      resourceType: 'Custom::FirstSigningKey',
      serviceToken: new Provider(this, 'FirstKeyProvider', {
        onEventHandler: firstKey,
        logGroup,
        frameworkOnEventRole: role,
      }).serviceToken,
      properties: { SecretArn: secrets.signingSecretArn, UserName: secrets.signingUser.userName },
    });
  }

  /**
   * Creates the rotation with the low-level resource. The high-level construct would add the function's role to the
   * policies of the secret and the key, which would make the stateful stack depend on this stack. When the schedule is
   * created, Secrets Manager checks the permission, possibly without sending the secret as the source, so the function
   * itself refuses other secrets.
   * https://docs.aws.amazon.com/secretsmanager/latest/userguide/troubleshoot_rotation.html
   */
  private rotate(rotateKey: ServiceFunction, secretId: string): CfnRotationSchedule {
    rotateKey.addPermission('SecretsManager', {
      principal: new ServicePrincipal('secretsmanager.amazonaws.com'),
      sourceAccount: this.rotateKey.stack.account,
    });
    return new CfnRotationSchedule(this, 'Rotation', {
      secretId,
      rotationLambdaArn: rotateKey.functionArn,
      rotationRules: { automaticallyAfterDays: ROTATION_DAYS },
      // An immediate rotation would race with the first key. With `false`, Secrets Manager only tests the rotation,
      // with the step `testSecret`.
      rotateImmediatelyOnUpdate: false,
    });
  }
}
