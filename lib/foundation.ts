import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import type { StageConfig } from './config/stage-config.ts';
import type { Secrets } from './secrets.ts';
import type { Storage } from './storage.ts';

/** What the other stacks receive: the stateful stack's resources and the configuration. */
export interface Foundation {
  readonly config: StageConfig;
  readonly storage: Storage;
  readonly secrets: Secrets;
  readonly version: string;
}

export interface WebhookQueues {
  readonly queue: IQueue;
  readonly deadLetterQueue: IQueue;
}
