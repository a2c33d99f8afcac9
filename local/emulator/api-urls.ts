import { type IAspect, Tags } from 'aws-cdk-lib';
import { RestApi } from 'aws-cdk-lib/aws-apigateway';
import type { IConstruct } from 'constructs';
import { API_STAGE } from '../../lib/stages.ts';

/** Base URLs of the two deployments, without a trailing slash. */
export interface ApiUrls {
  readonly v1: string;
  readonly v2: string;
}

/** MiniStack gives an API the id in this tag; it must be 8 hexadecimal digits. */
const ID_TAG = 'ms-custom-id';
const API_IDS = { v1: '50110001', v2: '50110002' } as const;

/**
 * The URLs of the APIs on an emulator, known before the deployment because the ids are fixed. They use
 * the path form, because few clients resolve the host form (`<id>.execute-api.localhost`).
 */
export function localApiUrls(endpointUrl: string): ApiUrls {
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
