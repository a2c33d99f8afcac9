import { CloudFrontClient, ListPublicKeysCommand } from '@aws-sdk/client-cloudfront';
import {
  DescribeEventBusCommand,
  EventBridgeClient,
  ResourceNotFoundException,
} from '@aws-sdk/client-eventbridge';
import { GetPolicyCommand, IAMClient, NoSuchEntityException } from '@aws-sdk/client-iam';
import type { StageConfig } from '../../lib/config/stage-config.ts';
import type { Connection } from '../operator/stage-table.ts';

/** Whether the configured bus exists, without which EventBridge drops events; null: none is configured. */
export async function readEventBus(
  connection: Connection,
  { eventBus }: Pick<StageConfig, 'eventBus'>,
): Promise<boolean | null> {
  if (eventBus === undefined) return null;
  try {
    await new EventBridgeClient(connection).send(new DescribeEventBusCommand({ Name: eventBus }));
    return true;
  } catch (error) {
    if (error instanceof ResourceNotFoundException) return false;
    throw error;
  }
}

/** Whether the configured boundary exists; null: none is configured. */
export async function readBoundary(
  connection: Connection,
  { permissionsBoundary: PolicyArn }: Pick<StageConfig, 'permissionsBoundary'>,
): Promise<boolean | null> {
  if (PolicyArn === undefined) return null;
  try {
    await new IAMClient(connection).send(new GetPolicyCommand({ PolicyArn }));
    return true;
  } catch (error) {
    if (error instanceof NoSuchEntityException) return false;
    throw error;
  }
}

/** How many public keys the account's CloudFront has; null: the stage needs none. */
export async function readPublicKeys(
  connection: Connection,
  { results }: Pick<StageConfig, 'results'>,
): Promise<number | null> {
  if (results.signer !== 'cloudfront') return null;
  const { PublicKeyList } = await new CloudFrontClient(connection).send(
    new ListPublicKeysCommand({}),
  );
  return PublicKeyList?.Quantity ?? 0;
}
