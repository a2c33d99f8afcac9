import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { DeleteBucketPolicyCommand, S3Client } from '@aws-sdk/client-s3';
import { type IAspect, Tags } from 'aws-cdk-lib';
import { RestApi } from 'aws-cdk-lib/aws-apigateway';
import type { IConstruct } from 'constructs';
import { API_STAGE } from '../../lib/stages.ts';
import { configureClient, type Emulator } from './emulator.ts';
import { CONSTRUCT_WORKAROUNDS, TEMPLATE_WORKAROUNDS } from './workarounds.ts';

export class AdaptToEmulator implements IAspect {
  visit(node: IConstruct): void {
    for (const workaround of CONSTRUCT_WORKAROUNDS) workaround.adapt(node);
  }
}

interface Template {
  readonly Resources: Readonly<Record<string, { readonly Type: string }>>;
}

export function adaptAssembly(assemblyFolder: string): void {
  for (const file of readdirSync(assemblyFolder)) {
    if (!file.endsWith('.template.json')) continue;
    const templateFile = path.join(assemblyFolder, file);
    const template: Template = JSON.parse(readFileSync(templateFile, 'utf8'));
    const isSecret = (id: unknown) =>
      typeof id === 'string' && template.Resources[id]?.Type === 'AWS::SecretsManager::Secret';
    const text = JSON.stringify(template, (name, original: unknown) =>
      TEMPLATE_WORKAROUNDS.reduce((value, { adapt }) => adapt(name, value, isSecret), original),
    );
    writeFileSync(templateFile, text);
  }
}

/** Deletes the policy of the bootstrap bucket, which only denies plain HTTP, so that the CDK can publish assets. */
export async function openBootstrapBucket(emulator: Emulator): Promise<void> {
  const s3 = new S3Client({ ...configureClient(emulator), forcePathStyle: true });
  // The bucket's name contains the default qualifier of the CDK's bootstrap stack.
  const Bucket = `cdk-hnb659fds-assets-${emulator.accountId}-${emulator.region}`;
  try {
    await s3.send(new DeleteBucketPolicyCommand({ Bucket }));
  } finally {
    s3.destroy();
  }
}

interface ApiUrls {
  readonly v1: string;
  readonly v2: string;
}

/** MiniStack gives an API the ID in this tag, which must have 8 hexadecimal digits. */
const ID_TAG = 'ms-custom-id';
const API_IDS = { v1: '50110001', v2: '50110002' } as const;

/**
 * Builds the URLs of the APIs on an emulator. They are known before the deployment, because the IDs are fixed. They use
 * the path form, because few clients resolve the host form (`<id>.execute-api.localhost`).
 */
export function buildLocalApiUrls(endpointUrl: string): ApiUrls {
  const buildUrl = (id: string) =>
    `${new URL(endpointUrl).origin}/_aws/execute-api/${id}/${API_STAGE}`;
  return { v1: buildUrl(API_IDS.v1), v2: buildUrl(API_IDS.v2) };
}

export class FixApiIds implements IAspect {
  visit(node: IConstruct): void {
    if (!(node instanceof RestApi)) return;
    const deployment = node.node.id.toLowerCase();
    if (deployment !== 'v1' && deployment !== 'v2')
      throw new Error(`${node.node.path}: an API's construct id must be V1 or V2`);
    Tags.of(node).add(ID_TAG, API_IDS[deployment]);
  }
}
