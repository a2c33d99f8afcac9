import { isDeepStrictEqual } from 'node:util';
import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { notImplementedError, validationError } from './errors.ts';

/** An item as DynamoDB stores it. Items are never changed; a write creates a new one. */
export type Item = Readonly<Record<string, AttributeValue>>;

export function areEqual(a: AttributeValue, b: AttributeValue): boolean {
  if (a.S !== undefined) return a.S === b.S;
  if (a.N !== undefined) return b.N !== undefined && Number(a.N) === Number(b.N);
  return isDeepStrictEqual(a, b);
}

/** @returns null if DynamoDB does not order values of these types */
export function compareValues(a: AttributeValue, b: AttributeValue): number | null {
  if (a.S !== undefined && b.S !== undefined) return compareText(a.S, b.S);
  if (a.N !== undefined && b.N !== undefined) return Number(a.N) - Number(b.N);
  if (a.B !== undefined && b.B !== undefined)
    throw notImplementedError('the order of binary values');
  return null;
}

/**
 * Compares text like DynamoDB, by UTF-8 bytes. UTF-16 has the same order except for surrogates, which keys must not
 * contain here.
 */
export function compareText(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

/** Adds numbers like DynamoDB, in decimal rather than binary. */
export function addNumbers(a: AttributeValue, b: AttributeValue, sign: 1 | -1 = 1): AttributeValue {
  if (a.N === undefined || b.N === undefined) {
    throw validationError('An operand in the update expression has an incorrect data type');
  }
  const [x, y] = [Number(a.N), sign * Number(b.N)];
  if (!Number.isSafeInteger(x) || !Number.isSafeInteger(y)) return { N: addDecimals(x, y) };
  return { N: String(x + y) };
}

/** The action ADD: to a number, or to a set of numbers. */
export function addToValue(
  before: AttributeValue | undefined,
  added: AttributeValue,
): AttributeValue {
  if (added.NS === undefined) return addNumbers(before ?? { N: '0' }, added);
  if (before !== undefined && before.NS === undefined) {
    throw validationError('An operand in the update expression has an incorrect data type');
  }
  return { NS: [...new Set([...(before?.NS ?? []), ...added.NS])] };
}

function addDecimals(x: number, y: number): string {
  const places = Math.max(countDecimalPlaces(x), countDecimalPlaces(y));
  const sum =
    BigInt(x.toFixed(places).replace('.', '')) + BigInt(y.toFixed(places).replace('.', ''));
  return String(Number(`${sum}e-${places}`));
}

/** Counts decimal places. `toFixed` takes at most 100, and writes no exponent below 10^21. */
function countDecimalPlaces(value: number): number {
  const [digits = '', exponent = '0'] = String(value).split('e');
  const places = (digits.split('.')[1] ?? '').length - Number(exponent);
  if (places > 100 || Math.abs(value) >= 1e21) throw notImplementedError(`the sum of ${value}`);
  return Math.max(0, places);
}
