import type { RemovalPolicy } from 'aws-cdk-lib';
import { PolicyStatement, User } from 'aws-cdk-lib/aws-iam';
import { CfnSecret, Secret } from 'aws-cdk-lib/aws-secretsmanager';
import { Construct } from 'constructs';
import { allowThroughService } from './access.ts';
import type { StageConfig } from './config/stage-config.ts';
import { type Storage, toRemovalPolicy } from './storage.ts';

export interface SecretsProps {
  readonly config: StageConfig;
  readonly storage: Storage;
}

/** The secrets, and the user whose key signs URLs. No template contains a secret's value. */
export class Secrets extends Construct {
  readonly cursorSecretArn: string;
  /** The secret that holds the signing key, which the first deployment creates. */
  readonly signingSecretArn: string;
  readonly signingUser: User;

  constructor(scope: Construct, id: string, { config, storage }: SecretsProps) {
    super(scope, id);
    const removalPolicy = toRemovalPolicy(config);

    this.cursorSecretArn = new Secret(this, 'CursorSecret', {
      description: 'Soil Batch: HMAC key of page cursors',
      encryptionKey: storage.dataKey,
      generateSecretString: { passwordLength: 64, excludePunctuation: true },
      removalPolicy,
    }).secretArn;

    // Only the low-level resource can create a secret without an initial value, so that a reader finds either a working
    // key or none.
    const signingSecret = new CfnSecret(this, 'SigningSecret', {
      description: 'Soil Batch: key that signs result URLs',
      kmsKeyId: storage.dataKey.keyArn,
    });
    signingSecret.applyRemovalPolicy(removalPolicy);
    this.signingSecretArn = signingSecret.ref;

    this.signingUser = this.createSigningUser(storage, removalPolicy);
  }

  /**
   * Creates a user that may only read results, because a signed URL has the permissions of its user. URLs signed with a
   * role's session would expire with the session, hours early.
   */
  private createSigningUser(storage: Storage, removalPolicy: RemovalPolicy): User {
    const user = new User(this, 'SigningUser');
    user.applyRemovalPolicy(removalPolicy);
    user.addToPolicy(
      new PolicyStatement({
        actions: ['s3:GetObject'],
        resources: [storage.resultsBucket.arnForObjects('results/*')],
      }),
    );
    user.addToPolicy(allowThroughService(this, 's3', storage.resultsKey.keyArn, ['kms:Decrypt']));
    return user;
  }
}
