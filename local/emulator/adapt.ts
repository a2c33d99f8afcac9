import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { DeleteBucketPolicyCommand, S3Client } from '@aws-sdk/client-s3';
import type { IAspect } from 'aws-cdk-lib';
import type { IConstruct } from 'constructs';
import { clientConfiguration, type Emulator } from './emulator.ts';
import { CONSTRUCT_WORKAROUNDS, TEMPLATE_WORKAROUNDS } from './workarounds.ts';

/** Adapts the application's constructs to the emulator, by nothing but the listed workarounds. */
export class AdaptToEmulator implements IAspect {
  visit(node: IConstruct): void {
    for (const workaround of CONSTRUCT_WORKAROUNDS) workaround.adapt(node);
  }
}

interface Template {
  readonly Resources: Readonly<Record<string, { readonly Type: string }>>;
}

/** Adapts a synthesised assembly to the emulator. */
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

/**
 * Deletes the policy of the bootstrap bucket, which only denies plain HTTP, so that the CDK can publish
 * assets.
 */
export async function openBootstrapBucket(emulator: Emulator): Promise<void> {
  const s3 = new S3Client({ ...clientConfiguration(emulator), forcePathStyle: true });
  // The default qualifier of the CDK's bootstrap stack.
  const Bucket = `cdk-hnb659fds-assets-${emulator.accountId}-${emulator.region}`;
  try {
    await s3.send(new DeleteBucketPolicyCommand({ Bucket }));
  } finally {
    s3.destroy();
  }
}
