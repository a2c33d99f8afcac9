import { ResourceNotFoundException } from '@aws-sdk/client-dynamodb';
import { notImplementedError } from './errors.ts';

export const TABLE_NAME = 'memory';

export const WRITE_OPTIONS = [
  'TableName',
  'ConditionExpression',
  'ExpressionAttributeNames',
  'ExpressionAttributeValues',
  'ReturnValuesOnConditionCheckFailure',
] as const;

/** @throws Error for every option that this table does not know, so that no option is silently ignored */
export function checkOptions<Input extends object>(
  command: string,
  input: Input,
  known: readonly (keyof Input)[],
): void {
  const names: readonly PropertyKey[] = known;
  for (const name in input) {
    const value = input[name];
    if (value !== undefined && !names.includes(name)) {
      throw notImplementedError(`the option ${name} of ${command}`);
    }
    if (name === 'TableName' && value !== TABLE_NAME) {
      throw new ResourceNotFoundException({ message: `there is no table ${value}`, $metadata: {} });
    }
  }
}
