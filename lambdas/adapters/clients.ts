import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { EventBridgeClient } from '@aws-sdk/client-eventbridge';
import { IAMClient } from '@aws-sdk/client-iam';
import { KMSClient } from '@aws-sdk/client-kms';
import { LambdaClient } from '@aws-sdk/client-lambda';
import { S3Client, type S3ClientConfig } from '@aws-sdk/client-s3';
import { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { SFNClient, type SFNClientConfig } from '@aws-sdk/client-sfn';
import { SQSClient } from '@aws-sdk/client-sqs';
import { STSClient } from '@aws-sdk/client-sts';

// This file creates the functions' SDK clients. The bundler drops those that a function does not use.

/**
 * The SDK by default waits for a response until the function itself times out. It retries a `TimeoutError` unless
 * `maxAttempts` is 1.
 */
export const CLIENT_OPTIONS = withTimeouts({ connectionMs: 1_000, responseMs: 5_000 });

/**
 * For steps that transfer whole blocks and parts and compute in between: a blocked event loop also delays the response.
 */
const BODY_CLIENT_OPTIONS = withTimeouts({ connectionMs: 5_000, responseMs: 60_000 });

export function dynamoDbClient(): DynamoDBClient {
  return new DynamoDBClient({ ...CLIENT_OPTIONS });
}

/** Does not retry, because the reconciler publishes a failed event later. */
export function eventBridgeClient(): EventBridgeClient {
  return new EventBridgeClient({ ...CLIENT_OPTIONS, maxAttempts: 1 });
}

export function iamClient(): IAMClient {
  return new IAMClient({ ...CLIENT_OPTIONS });
}

export function kmsClient(): KMSClient {
  return new KMSClient({ ...CLIENT_OPTIONS });
}

/** For small objects. */
export function s3Client(options: Pick<S3ClientConfig, 'credentials'> = {}): S3Client {
  return new S3Client({ ...CLIENT_OPTIONS, ...options });
}

/** For large objects: blocks, rasters, their parts and covariates. */
export function s3BodyClient(
  options: Pick<S3ClientConfig, 'followRegionRedirects' | 'credentials'> = {},
): S3Client {
  return new S3Client({ ...BODY_CLIENT_OPTIONS, ...options });
}

/** For operations that wait for another function; the timeouts stay below API Gateway's 29 s. */
export function lambdaClient(): LambdaClient {
  return new LambdaClient({
    ...withTimeouts({ connectionMs: 1_000, responseMs: 24_000 }),
    maxAttempts: 1,
  });
}

export function secretsManagerClient(): SecretsManagerClient {
  return new SecretsManagerClient({ ...CLIENT_OPTIONS });
}

export function stepFunctionsClient(
  options: Pick<SFNClientConfig, 'retryMode' | 'maxAttempts'> = {},
): SFNClient {
  return new SFNClient({ ...CLIENT_OPTIONS, ...options });
}

export function sqsClient(): SQSClient {
  return new SQSClient({ ...CLIENT_OPTIONS });
}

export function stsClient(): STSClient {
  return new STSClient({ ...CLIENT_OPTIONS });
}

function withTimeouts({ connectionMs, responseMs }: { connectionMs: number; responseMs: number }) {
  return {
    requestHandler: {
      connectionTimeout: connectionMs,
      /** The time from the request to the response headers. */
      requestTimeout: responseMs,
      throwOnRequestTimeout: true,
      /** The longest pause within a body. */
      socketTimeout: responseMs,
    },
  } as const;
}
