import type { CdkCustomResourceEvent, CdkCustomResourceResponse } from 'aws-lambda';
import { env } from '../adapters/environment/env.ts';
import { ensureFirstKey, removeAllKeys } from '../domain/signing/first-key.ts';
import { currentKeyAge } from '../domain/signing/key-age.ts';
import { measure } from '../observability/metrics.ts';
import { newKeyPorts } from './signing-ports.ts';

const ports = newKeyPorts(env('signing-key/first-key'));

/**
 * Custom resource (`onEvent` of CDK's provider): the stack is ready only when the secret holds a
 * working key. An update makes one only if there is none. Needs up to five minutes.
 */
export async function handler(event: CdkCustomResourceEvent): Promise<CdkCustomResourceResponse> {
  if (event.RequestType === 'Delete') await removeAllKeys(ports);
  else {
    await ensureFirstKey(ports, event.RequestId);
    // From the start on: an age that nobody tells is an alarm.
    const age = await currentKeyAge(ports);
    if (age !== null) measure('SigningKeyAge', age);
  }
  // The same for good: a new id would make CloudFormation delete the keys as the old resource's.
  return { PhysicalResourceId: 'signing-key' };
}
