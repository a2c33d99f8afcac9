import {
  BatchGetCommand,
  DeleteCommand,
  GetCommand,
  PutCommand,
  QueryCommand,
  ScanCommand,
  TransactWriteCommand,
  UpdateCommand,
} from '@aws-sdk/lib-dynamodb';
import type { Table } from '../../../lambdas/adapters/dynamodb/table.ts';
import type { Clock } from '../../../lambdas/domain/clock.ts';
import { notImplementedError } from './errors.ts';
import { Items } from './items.ts';
import { TABLE_NAME } from './options.ts';
import { batchGetItems, getItem, queryItems, scanItems } from './reads.ts';
import { putItem, removeItem, Transactions, updateItem } from './writes.ts';

/**
 * Creates a stage's table in this process. The functions' stores work on it like on DynamoDB, and the stores' contract
 * tests run on both. Dynalite, DynamoDB Local (which `@shelf/jest-dynamodb` starts) and moto are HTTP servers, all too
 * slow for the many commands of the fault tests. The table rejects what it does not implement. It differs from DynamoDB
 * in ways that the stores must not rely on: indexes follow the table immediately, transactions never conflict, TTL
 * deletes nothing, and reserved words are ordinary attribute names.
 * @param onCommand called before each command; if it throws, so does the command
 */
export function inMemoryTable(
  clock: Clock,
  onCommand: (command: object) => void = () => undefined,
): Table {
  const items = new Items();
  const transactions = new Transactions(items, clock);
  const send = async (command: object): Promise<object> => {
    onCommand(command);
    if (command instanceof GetCommand) return getItem(items, command.input);
    if (command instanceof BatchGetCommand) return batchGetItems(items, command.input);
    if (command instanceof QueryCommand) return queryItems(items, command.input);
    if (command instanceof ScanCommand) return scanItems(items, command.input);
    if (command instanceof PutCommand) return putItem(items, command.input);
    if (command instanceof UpdateCommand) return updateItem(items, command.input);
    if (command instanceof DeleteCommand) return removeItem(items, command.input);
    if (command instanceof TransactWriteCommand) return transactions.write(command.input);
    throw notImplementedError(command.constructor.name);
  };
  // The stores use only this method of the client.
  const client = { send } as unknown as Table['client'];
  return { client, name: TABLE_NAME, clock, ends: new Map() };
}
