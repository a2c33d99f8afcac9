import type { CdkCustomResourceEvent, CdkCustomResourceResponse } from 'aws-lambda';
import { env } from '../adapters/environment.ts';
import {
  createFirstKey,
  currentKeyAge,
  ensureFirstKey,
  removeAllKeys,
} from '../domain/signing/issue-signing-key.ts';
import { measure } from '../observability/metrics.ts';
import { newKeyPorts } from './signing-ports.ts';

const ports = newKeyPorts(env);

/**
 * Custom resource (`onEvent` of CDK's provider): the stack is complete only when the secret holds a
 * working key. An update creates a key only if the secret holds none. Takes up to
 * twelve minutes.
 */
export async function handler(event: CdkCustomResourceEvent): Promise<CdkCustomResourceResponse> {
  if (event.RequestType === 'Delete') await removeAllKeys(ports);
  else {
    const isFirst = event.RequestType === 'Create';
    await (isFirst ? createFirstKey : ensureFirstKey)(ports, event.RequestId);
    // An alarm treats a missing age as an error, so the age is measured from the start.
    const age = await currentKeyAge(ports);
    if (age !== null) measure('SigningKeyAge', age);
  }
  // Constant: a new id would make CloudFormation delete the keys with the old resource.
  return { PhysicalResourceId: 'signing-key' };
}
