import { type App, CfnOutput, Stack } from 'aws-cdk-lib';
import { Api } from './api/api.ts';
import { Pipeline } from './pipeline.ts';
import { Reconciler } from './reconciler.ts';
import { SigningKey } from './signing-key.ts';
import type { Foundation } from './stateful-stack.ts';
import { Webhooks } from './webhooks.ts';

export interface StatelessStackProps {
  readonly foundation: Foundation;
}

/**
 * The resources that deployments may replace. The stack itself must not be deleted: that would also delete the key that
 * signs results, which breaks all signed URLs, and change the hosts of both APIs.
 */
export class StatelessStack extends Stack {
  readonly signingKey: SigningKey;
  readonly webhooks: Webhooks;
  readonly pipeline: Pipeline;
  readonly reconciler: Reconciler;
  readonly api: Api;

  constructor(scope: App, id: string, { foundation }: StatelessStackProps) {
    const { config } = foundation;
    super(scope, id, {
      description: `Soil Batch ${config.stage}: APIs, pipeline, webhooks`,
      terminationProtection: config.deletionProtection,
    });
    this.signingKey = new SigningKey(this, 'SigningKey', { foundation });
    this.webhooks = new Webhooks(this, 'Webhooks', { foundation });
    const { webhooks } = this;
    this.pipeline = new Pipeline(this, 'Pipeline', { foundation, webhooks });
    const { pipeline } = this;
    this.reconciler = new Reconciler(this, 'Reconciler', { foundation, pipeline, webhooks });
    this.api = new Api(this, 'Api', { foundation, pipeline, webhooks });

    const outputs = {
      V1Url: this.api.baseUrls.v1,
      V2Url: this.api.baseUrls.v2,
      V1ApiId: this.api.v1.restApiId,
      V2ApiId: this.api.v2.restApiId,
      RotateSigningKeyName: this.signingKey.rotateKey.functionName,
      StateMachineArn: pipeline.batches.stateMachineArn,
      WebhookQueueUrl: webhooks.queue.queueUrl,
      WebhookDeadLetterQueueUrl: webhooks.deadLetterQueue.queueUrl,
    };
    for (const [name, value] of Object.entries(outputs)) new CfnOutput(this, name, { value });
  }
}
