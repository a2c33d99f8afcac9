import { DynamoDBServiceException } from '@aws-sdk/client-dynamodb';

/** Creates DynamoDB's error for an invalid request, for which the SDK has no class. */
export function validationError(message: string): DynamoDBServiceException {
  return new DynamoDBServiceException({
    name: 'ValidationException',
    $fault: 'client',
    $metadata: { httpStatusCode: 400 },
    message,
  });
}

/**
 * Creates the error for features of DynamoDB that this table lacks, because an error is better than a wrong response.
 */
export function notImplementedError(what: string): Error {
  return new Error(`the table in memory does not implement ${what}`);
}
