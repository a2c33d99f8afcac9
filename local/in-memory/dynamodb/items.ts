import { unmarshall } from '@aws-sdk/util-dynamodb';
import type { Key } from '../../../lambdas/adapters/dynamodb/item-keys.ts';
import { NUMBERS_AS_DOUBLES } from '../../../lambdas/adapters/dynamodb/table.ts';
import { INDEXES, type IndexName } from '../../../lib/table-indexes.ts';
import { notImplementedError, validationError } from './errors.ts';
import { measureItem, QUOTAS } from './sizes.ts';
import type { Item } from './values.ts';

type NativeItem = ReturnType<typeof unmarshall>;

/**
 * These options are a copy, because the document client sets `convertWithoutMapWrapper` in the options that it is
 * given.
 */
const ITEM_OPTIONS = { ...NUMBERS_AS_DOUBLES.unmarshallOptions, convertWithoutMapWrapper: false };

export interface KeySchema {
  readonly partition: string;
  readonly sort: string;
}

export const TABLE_KEY: KeySchema = { partition: 'pk', sort: 'sk' };

export class StoredItem implements Key {
  readonly pk: string;
  readonly sk: string;
  readonly item: Item;
  readonly bytes: number;
  private read: NativeItem | undefined;

  /** @throws ValidationException if DynamoDB would not store the item */
  constructor(item: Item) {
    const { pk, sk } = parseKey(item);
    for (const [, { partition, sort }] of indexEntries) {
      if (item[partition] !== undefined) requireKeyText(item, partition, QUOTAS.partitionKey);
      if (item[sort] !== undefined) requireKeyText(item, sort, QUOTAS.sortKey);
    }
    this.pk = pk;
    this.sk = sk;
    this.item = item;
    this.bytes = measureItem(item);
    if (this.bytes > QUOTAS.item)
      throw validationError('Item size has exceeded the maximum allowed size');
  }

  /** The item that reads return. All readers share it, so it is frozen, and a reader that changes it fails. */
  get native(): NativeItem {
    this.read ??= freezeDeeply(unmarshall(this.item, ITEM_OPTIONS));
    return this.read;
  }
}

function freezeDeeply<T extends object>(value: T): T {
  for (const member of Object.values(value)) {
    if (typeof member === 'object' && member !== null) freezeDeeply(member);
  }
  return Object.freeze(value);
}

type Partition = Map<string, StoredItem>;
type Partitions = Map<string, Partition>;

const indexEntries = Object.entries(INDEXES);

/** The items by partition, for the table and for each index. Unlike in DynamoDB, indexes do not lag. */
export class Items {
  private readonly table: Partitions = new Map();
  private readonly indexes = new Map<string, Partitions>(
    indexEntries.map(([name]) => [name, new Map()]),
  );

  readItem({ pk, sk }: Key): StoredItem | undefined {
    return this.table.get(pk)?.get(sk);
  }

  listPartition(index: IndexName | undefined, value: string): Iterable<StoredItem> {
    const partitions = index === undefined ? this.table : this.indexes.get(index);
    return partitions?.get(value)?.values() ?? [];
  }

  *listAll(): Generator<StoredItem> {
    for (const partition of this.table.values()) yield* partition.values();
  }

  putItem(stored: StoredItem): void {
    const before = this.table.get(stored.pk)?.get(stored.sk);
    addToPartition(this.table, stored.pk, stored.sk, stored);
    for (const [name, schema] of indexEntries) {
      const from = before && findPartition(before, schema);
      const to = findPartition(stored, schema);
      const partitions = this.indexes.get(name);
      if (partitions === undefined) continue;
      if (from !== undefined && from !== to) partitions.get(from)?.delete(formatKeyName(stored));
      if (to !== undefined) addToPartition(partitions, to, formatKeyName(stored), stored);
    }
  }

  deleteItem(stored: StoredItem): void {
    this.table.get(stored.pk)?.delete(stored.sk);
    for (const [name, schema] of indexEntries) {
      const from = findPartition(stored, schema);
      if (from !== undefined) this.indexes.get(name)?.get(from)?.delete(formatKeyName(stored));
    }
  }
}

function addToPartition(
  partitions: Partitions,
  value: string,
  name: string,
  stored: StoredItem,
): void {
  const partition = partitions.get(value);
  if (partition === undefined) partitions.set(value, new Map([[name, stored]]));
  else partition.set(name, stored);
}

/**
 * Returns the index partition that holds the item. An item without one of the index's attributes is not in the index,
 * so the result is undefined.
 */
function findPartition({ item }: StoredItem, { partition, sort }: KeySchema): string | undefined {
  return item[sort] === undefined ? undefined : item[partition]?.S;
}

export const formatKeyName = ({ pk, sk }: Key): string => `${pk}\0${sk}`;

/** @throws ValidationException unless the attributes are exactly the key of an item */
export function readKey(key: Item): Key {
  if (Object.keys(key).length !== 2) {
    throw validationError('The provided key element does not match the schema');
  }
  return parseKey(key);
}

function parseKey(item: Item): Key {
  return {
    pk: requireKeyText(item, TABLE_KEY.partition, QUOTAS.partitionKey),
    sk: requireKeyText(item, TABLE_KEY.sort, QUOTAS.sortKey),
  };
}

function requireKeyText(item: Item, attribute: string, mostBytes: number): string {
  const text = item[attribute]?.S;
  if (text === undefined) throw validationError(`Type mismatch for key ${attribute}, expected: S`);
  if (text === '')
    throw validationError(`The key attribute ${attribute} cannot be an empty string`);
  if (Buffer.byteLength(text) > mostBytes)
    throw validationError(`The key ${attribute} is too long`);
  if (/[\ud800-\udfff]/.test(text)) throw notImplementedError(`the order of the key "${text}"`);
  return text;
}
