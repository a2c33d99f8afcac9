import { InvokeCommand, type LambdaClient } from '@aws-sdk/client-lambda';
import * as z from 'zod/mini';
import { type DestinationCheck, destinationFailure } from '../../domain/destination/destination.ts';
import { TransientFailure } from '../../domain/step-failure.ts';
import { asTransientFailure } from '../service-failure.ts';

const output = z.object({ failure: z.nullable(destinationFailure) });

/** Invokes the only function that may assume clients' roles. */
export function invokedCheck(client: LambdaClient, functionName: string): DestinationCheck {
  return {
    async checkDestination({ bucket, prefix, role_arn, tenant }) {
      const destination = { bucket, prefix, role_arn };
      const command = new InvokeCommand({
        FunctionName: functionName,
        Payload: Buffer.from(JSON.stringify({ step: 'check-destination', destination, tenant })),
      });
      const { FunctionError, Payload } = await client.send(command).catch((error: unknown) => {
        throw asTransientFailure(error);
      });
      // The function logs its own errors; a client may repeat the request after any of them.
      if (FunctionError !== undefined)
        throw new TransientFailure(`destination check: ${FunctionError}`);
      return output.parse(JSON.parse(Buffer.from(Payload ?? []).toString())).failure;
    },
  };
}
