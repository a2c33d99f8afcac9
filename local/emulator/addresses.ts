import { type IAspect, Stack, Tags } from 'aws-cdk-lib';
import { CfnStage, RestApi } from 'aws-cdk-lib/aws-apigateway';
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

/**
 * Fixes the APIs' ids and tells their stages the address, which no event of MiniStack contains: it
 * drops the part before the stage and sends no `domainName`.
 * Can go when MiniStack serves APIs at a host that every client resolves.
 */
export class NameAddresses implements IAspect {
  private readonly addresses: Addresses;

  constructor(addresses: Addresses) {
    this.addresses = addresses;
  }

  visit(node: IConstruct): void {
    if (node instanceof RestApi)
      Tags.of(node).add(ID_TAG, API_IDS[deploymentOf(node.deploymentStage.node.defaultChild)]);
    if (node instanceof CfnStage) {
      const base_url = this.addresses[deploymentOf(node)];
      node.variables = { ...Stack.of(node).resolve(node.variables), base_url };
    }
  }
}

/** Which deployment a stage is, by its own stage variable. */
function deploymentOf(stage: IConstruct | undefined): keyof Addresses {
  if (stage instanceof CfnStage) {
    const { deployment } = Stack.of(stage).resolve(stage.variables ?? {});
    if (deployment === 'v1' || deployment === 'v2') return deployment;
  }
  throw new Error(`${stage?.node.path}: the stage variable "deployment" must be v1 or v2`);
}
