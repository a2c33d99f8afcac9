import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { notImplementedError, validationError } from './errors.ts';
import type { Item } from './values.ts';

/** Quotas from the DynamoDB Developer Guide, "Quotas and limits", in bytes unless stated otherwise. */
export const QUOTAS = {
  item: 400 * 1_024,
  partitionKey: 2_048,
  sortKey: 1_024,
  expression: 4_096,
  page: 1_024 * 1_024,
  batchGet: 16 * 1_024 * 1_024,
  keysOfBatchGet: 100,
  transaction: 4 * 1_024 * 1_024,
  writesOfTransaction: 100,
} as const;

/** Returns the size of an item in bytes (Developer Guide, "DynamoDB item sizes and formats"). */
export function measureItem(item: Item): number {
  let bytes = 0;
  for (const name in item) {
    const value = item[name];
    if (value !== undefined) bytes += Buffer.byteLength(name) + measureValue(value);
  }
  return bytes;
}

function measureValue(value: AttributeValue): number {
  if (value.S !== undefined) return Buffer.byteLength(value.S);
  if (value.N !== undefined) return measureNumber(value.N);
  if (value.M !== undefined) return 3 + Object.keys(value.M).length + measureItem(value.M);
  if (value.L !== undefined) return value.L.reduce((sum, each) => sum + 1 + measureValue(each), 3);
  if (value.NS !== undefined) return value.NS.reduce((sum, each) => sum + measureNumber(each), 3);
  if (value.NULL !== undefined || value.BOOL !== undefined) return 1;
  throw notImplementedError(`attributes of the type ${Object.keys(value).join()}`);
}

/** Numbers are 0 or have a magnitude from 10^-130 to 10^126. */
function measureNumber(digits: string): number {
  const magnitude = Math.abs(Number(digits));
  if (magnitude !== 0 && (magnitude < 1e-130 || magnitude >= 1e126)) {
    throw validationError(`Number out of range: ${digits}`);
  }
  return Math.ceil(digits.length / 2) + 1;
}
