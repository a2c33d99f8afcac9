import { type IAspect, Tags } from 'aws-cdk-lib';
import { RestApi } from 'aws-cdk-lib/aws-apigateway';
import type { IConstruct } from 'constructs';
import { API_STAGE } from '../../lib/stages.ts';

/** Base addresses of the two deployments, without a trailing slash. */
export interface Addresses {
  readonly v1: string;
  readonly v2: string;
}

/** MiniStack gives an API the id in this tag; it must be 8 hexadecimal digits. */
const ID_TAG = 'ms-custom-id';
const API_IDS = { v1: '50110001', v2: '50110002' } as const;

/**
 * Where an emulator serves the APIs: by path, for the host form (`<id>.execute-api.localhost`) is
 * resolved by few clients. Known before anything is deployed, as the ids are fixed.
 */
export function localAddresses(endpointUrl: string): Addresses {
  const of = (id: string) => `${new URL(endpointUrl).origin}/_aws/execute-api/${id}/${API_STAGE}`;
  return { v1: of(API_IDS.v1), v2: of(API_IDS.v2) };
}

/** Fixes the APIs' ids. */
export class FixApiIds implements IAspect {
  visit(node: IConstruct): void {
    if (!(node instanceof RestApi)) return;
    const deployment = node.node.id.toLowerCase();
    if (deployment !== 'v1' && deployment !== 'v2')
      throw new Error(`${node.node.path}: an API's construct id must be V1 or V2`);
    Tags.of(node).add(ID_TAG, API_IDS[deployment]);
  }
}
