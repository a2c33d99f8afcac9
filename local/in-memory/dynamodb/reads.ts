import type {
  BatchGetCommandInput,
  GetCommandInput,
  QueryCommandInput,
  ScanCommandInput,
} from '@aws-sdk/lib-dynamodb';
import { INDEXES, type IndexName } from '../../../lib/table-indexes.ts';
import { notImplementedError, validationError } from './errors.ts';
import { projectItem, readExpressions, toAttributes } from './expressions.ts';
import {
  formatKeyName,
  type Items,
  type KeySchema,
  readKey,
  type StoredItem,
  TABLE_KEY,
} from './items.ts';
import { checkOptions, TABLE_NAME } from './options.ts';
import { QUOTAS } from './sizes.ts';
import { compareText, type Item } from './values.ts';

/** The stores base decisions on their reads, so no read of the table may be stale. */
function requireConsistency(isConsistent: boolean | undefined): void {
  if (isConsistent !== true) throw notImplementedError('reads of the table without ConsistentRead');
}

export function getItem(items: Items, input: GetCommandInput): object {
  checkOptions('Get', input, ['TableName', 'Key', 'ConsistentRead']);
  requireConsistency(input.ConsistentRead);
  const found = items.readItem(readKey(toAttributes(input.Key ?? {})));
  return found === undefined ? {} : { Item: found.native };
}

export function batchGetItems(
  items: Items,
  { RequestItems, ...rest }: BatchGetCommandInput,
): object {
  checkOptions('BatchGet', rest, []);
  const { [TABLE_NAME]: request, ...others } = RequestItems ?? {};
  if (request === undefined || Object.keys(others).length > 0) {
    throw notImplementedError('BatchGet of other tables');
  }
  checkOptions('BatchGet', request, ['Keys', 'ConsistentRead']);
  requireConsistency(request.ConsistentRead);
  const { Keys: keys = [], ...options } = request;
  if (keys.length === 0 || keys.length > QUOTAS.keysOfBatchGet) {
    throw validationError(`a batch must have 1 to ${QUOTAS.keysOfBatchGet} keys`);
  }
  const wanted = keys.map((key) => readKey(toAttributes(key)));
  if (new Set(wanted.map(formatKeyName)).size < wanted.length) {
    throw validationError('Provided list of item keys contains duplicates');
  }
  const found: StoredItem[] = [];
  let bytes = 0;
  let read = 0;
  for (const key of wanted) {
    const item = items.readItem(key);
    bytes += item?.bytes ?? 0;
    if (bytes > QUOTAS.batchGet) break;
    if (item !== undefined) found.push(item);
    read += 1;
  }
  const left = keys.slice(read);
  return {
    Responses: { [TABLE_NAME]: found.map(({ native }) => native) },
    UnprocessedKeys: left.length === 0 ? {} : { [TABLE_NAME]: { Keys: left, ...options } },
  };
}

export function queryItems(items: Items, input: QueryCommandInput): object {
  checkOptions('Query', input, [
    'TableName',
    'IndexName',
    'ConsistentRead',
    'KeyConditionExpression',
    'ProjectionExpression',
    'ExpressionAttributeNames',
    'ExpressionAttributeValues',
    'ScanIndexForward',
    'Limit',
    'ExclusiveStartKey',
  ]);
  const index = readIndexName(input);
  const schema = index === undefined ? TABLE_KEY : INDEXES[index];
  const { scope, key, projection } = readExpressions(input);
  const value = key === null ? undefined : scope.values[key.partition.value]?.S;
  if (key === null || value === undefined || key.partition.path(scope) !== schema.partition) {
    throw validationError(`Query condition missed key schema element: ${schema.partition}`);
  }
  const matching = [...items.listPartition(index, value)].filter(({ item }) =>
    key.sort({ ...scope, item }),
  );
  const isForward = input.ScanIndexForward !== false;
  const { page, last } = takePage(matching, schema, isForward, input);
  const names = projection?.map((path) => path(scope)) ?? (index && listKeyAttributes(schema));
  return {
    Items: page.map(({ native }) => (names === undefined ? native : projectItem(native, names))),
    ...last,
  };
}

export function scanItems(items: Items, input: ScanCommandInput): object {
  checkOptions('Scan', input, [
    'TableName',
    'ConsistentRead',
    'FilterExpression',
    'ExpressionAttributeNames',
    'ExpressionAttributeValues',
    'ExclusiveStartKey',
  ]);
  requireConsistency(input.ConsistentRead);
  const { scope, filter } = readExpressions(input);
  const { page, last } = takePage([...items.listAll()], TABLE_KEY, true, input);
  const matching = page.filter(({ item }) => filter({ ...scope, item }));
  return { Items: matching.map(({ native }) => native), ...last };
}

function readIndexName({ IndexName: name, ConsistentRead: isConsistent }: QueryCommandInput) {
  if (name === undefined) {
    requireConsistency(isConsistent);
    return undefined;
  }
  if (!isIndex(name)) throw validationError(`The table does not have the specified index: ${name}`);
  if (isConsistent === true) {
    throw validationError('Consistent reads are not supported on global secondary indexes');
  }
  return name;
}

const isIndex = (name: string): name is IndexName => name in INDEXES;

const listKeyAttributes = ({ partition, sort }: KeySchema): readonly string[] => [
  ...new Set([partition, sort, TABLE_KEY.partition, TABLE_KEY.sort]),
];

interface Paging {
  readonly ExclusiveStartKey?: QueryCommandInput['ExclusiveStartKey'];
  readonly Limit?: number | undefined;
}

/**
 * Takes at most `Limit` items, and stops after 1 MB. If the page is full, also returns the key after which the next
 * page begins; that page may be empty.
 */
function takePage(
  matching: StoredItem[],
  schema: KeySchema,
  isForward: boolean,
  { ExclusiveStartKey, Limit: limit = Number.POSITIVE_INFINITY }: Paging,
) {
  if (limit < 1) throw validationError('Limit must be at least 1');
  const direction = isForward ? 1 : -1;
  const order = [...new Set([schema.sort, ...listKeyAttributes(schema)])];
  const compareItems = (a: Item, b: Item): number => {
    for (const name of order) {
      const compared = compareText(a[name]?.S ?? '', b[name]?.S ?? '');
      if (compared !== 0) return direction * compared;
    }
    return 0;
  };
  const start = ExclusiveStartKey && readStartKey(ExclusiveStartKey, schema);
  const left = start ? matching.filter(({ item }) => compareItems(item, start) > 0) : matching;
  left.sort((a, b) => compareItems(a.item, b.item));
  let [count, bytes] = [0, 0];
  while (count < left.length && count < limit && bytes < QUOTAS.page) {
    bytes += left[count]?.bytes ?? 0;
    count += 1;
  }
  const page = left.slice(0, count);
  const end = page.at(-1);
  // DynamoDB does not check whether another item follows the last item of a full page.
  const isFull = count === limit || bytes >= QUOTAS.page;
  return {
    page,
    last:
      isFull && end !== undefined
        ? { LastEvaluatedKey: projectItem(end.native, listKeyAttributes(schema)) }
        : {},
  };
}

function readStartKey(key: Readonly<Record<string, unknown>>, schema: KeySchema): Item {
  const item = toAttributes(key);
  const attributes = listKeyAttributes(schema);
  const isKey = attributes.every((name) => item[name]?.S !== undefined);
  if (!isKey || Object.keys(item).length !== attributes.length) {
    throw validationError('The provided starting key is invalid');
  }
  return item;
}
