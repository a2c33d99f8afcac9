import type { CdkCustomResourceEvent, CdkCustomResourceResponse } from 'aws-lambda';
import { env } from '../adapters/environment.ts';
import {
  createFirstKey,
  currentKeyAge,
  ensureFirstKey,
  removeAllKeys,
} from '../domain/signing/issue-signing-key.ts';
import { measure } from '../observability/metrics.ts';
import { keyCreationPorts } from './signing-ports.ts';

const ports = keyCreationPorts(env);

/** Custom resource (`onEvent` of CDK's provider): the stack is complete only when the secret holds a working key. */
export async function handler(event: CdkCustomResourceEvent): Promise<CdkCustomResourceResponse> {
  if (event.RequestType === 'Delete') await removeAllKeys(ports);
  else {
    const isFirst = event.RequestType === 'Create';
    await (isFirst ? createFirstKey : ensureFirstKey)(ports, event.RequestId);
    // Measure the age from the start, because an alarm treats a missing age as an error.
    const age = await currentKeyAge(ports);
    if (age !== null) measure('SigningKeyAge', age);
  }
  // The ID is constant, because a new one would make CloudFormation delete the old resource, and with it all keys.
  return { PhysicalResourceId: 'signing-key' };
}
