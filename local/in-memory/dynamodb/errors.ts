import { DynamoDBServiceException } from '@aws-sdk/client-dynamodb';

/** DynamoDB's response to a request that it does not accept; the SDK has no class for it. */
export function validationError(message: string): DynamoDBServiceException {
  return new DynamoDBServiceException({
    name: 'ValidationException',
    $fault: 'client',
    $metadata: { httpStatusCode: 400 },
    message,
  });
}

/** For features of DynamoDB that this table lacks: an error is better than a wrong response. */
export function notImplementedError(what: string): Error {
  return new Error(`the table in memory does not implement ${what}`);
}
