import { type App, CfnOutput, Stack } from 'aws-cdk-lib';
import type { StageConfig } from './config/stage-config.ts';
import { Secrets } from './secrets.ts';
import { Storage } from './storage.ts';

export interface Foundation {
  readonly config: StageConfig;
  readonly storage: Storage;
  readonly secrets: Secrets;
  readonly version: string;
}

export interface StatefulStackProps {
  readonly config: StageConfig;
}

/** The resources that outlive every deployment: state, objects, keys, secrets and the user that signs URLs. */
export class StatefulStack extends Stack {
  readonly storage: Storage;
  readonly secrets: Secrets;

  constructor(scope: App, id: string, { config }: StatefulStackProps) {
    super(scope, id, {
      description: `Soil Batch ${config.stage}: state, rasters, keys`,
      terminationProtection: config.deletionProtection,
    });
    this.storage = new Storage(this, 'Storage', { config });
    this.secrets = new Secrets(this, 'Secrets', { config, storage: this.storage });

    const { table, workBucket, resultsBucket } = this.storage;
    const outputs = {
      TableName: table.tableName,
      WorkBucketName: workBucket.bucketName,
      ResultsBucketName: resultsBucket.bucketName,
      SigningSecretArn: this.secrets.signingSecretArn,
      SigningUserName: this.secrets.signingUser.userName,
    };
    for (const [name, value] of Object.entries(outputs)) new CfnOutput(this, name, { value });
  }
}
