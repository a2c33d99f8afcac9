import { type App, CfnOutput, Stack } from 'aws-cdk-lib';
import project from '../package.json' with { type: 'json' };
import { Api } from './api.ts';
import type { StageConfig } from './config.ts';
import type { Foundation } from './foundation.ts';
import { Observability } from './observability/observability.ts';
import { Pipeline } from './pipeline.ts';
import { Reconciler } from './reconciler.ts';
import type { Secrets } from './secrets.ts';
import { SigningKey } from './signing-key.ts';
import type { Storage } from './storage.ts';
import { Webhooks } from './webhooks.ts';

export interface StatelessStackProps {
  readonly config: StageConfig;
  readonly storage: Storage;
  readonly secrets: Secrets;
}

/** Everything that can be thrown away and deployed again. */
export class StatelessStack extends Stack {
  constructor(scope: App, id: string, { config, storage, secrets }: StatelessStackProps) {
    super(scope, id, { description: `Soil batch ${config.stage}: APIs, pipeline, webhooks` });
    const foundation: Foundation = { config, storage, secrets, version: project.version };

    const signingKey = new SigningKey(this, 'SigningKey', { foundation });
    const webhooks = new Webhooks(this, 'Webhooks', { foundation });
    const pipeline = new Pipeline(this, 'Pipeline', { foundation, webhooks });
    const reconciler = new Reconciler(this, 'Reconciler', { foundation, pipeline, webhooks });
    const api = new Api(this, 'Api', { foundation, pipeline, webhooks });
    new Observability(this, 'Observability', {
      foundation,
      api,
      pipeline,
      webhooks,
      reconciler,
      signingKey,
    });

    const outputs = {
      V1Url: api.addresses.v1,
      V2Url: api.addresses.v2,
      V1ApiId: api.v1.restApiId,
      V2ApiId: api.v2.restApiId,
      StateMachineArn: pipeline.batches.stateMachineArn,
      WebhookQueueUrl: webhooks.queue.queueUrl,
      WebhookDeadLetterQueueUrl: webhooks.deadLetterQueue.queueUrl,
    };
    for (const [name, value] of Object.entries(outputs)) new CfnOutput(this, name, { value });
  }
}
