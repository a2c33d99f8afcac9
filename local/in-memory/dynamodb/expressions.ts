import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { marshall, type NativeAttributeValue } from '@aws-sdk/util-dynamodb';
import { NUMBERS_AS_DOUBLES } from '../../../lambdas/adapters/dynamodb/table.ts';
import { validationError } from './errors.ts';
import { TABLE_KEY } from './items.ts';
import { type Action, type Condition, Parser, type Path, type Scope } from './parser.ts';
import type { Item } from './values.ts';

type Native = Readonly<Record<string, NativeAttributeValue>>;

export interface Expressions {
  readonly ConditionExpression?: string | undefined;
  readonly FilterExpression?: string | undefined;
  readonly KeyConditionExpression?: string | undefined;
  readonly ProjectionExpression?: string | undefined;
  readonly UpdateExpression?: string | undefined;
  readonly ExpressionAttributeNames?: Readonly<Record<string, string>> | undefined;
  readonly ExpressionAttributeValues?: Native | undefined;
}

interface Parsed<Meaning> {
  readonly meaning: Meaning;
  readonly placeholders: ReadonlySet<string>;
}

export interface KeyCondition {
  readonly partition: { readonly path: Path; readonly value: string };
  readonly sort: Condition;
}

const parseCondition = memoizeParsing((parser) => parser.condition());
const parseUpdate = memoizeParsing((parser) => parser.update());
const parseProjection = memoizeParsing((parser) => parser.projection());
const parseKeyCondition = memoizeParsing((parser): KeyCondition => {
  const path = parser.path();
  parser.expect('=');
  const value = parser.placeholder();
  const sort = parser.take('AND') ? parser.predicate() : () => true;
  return { partition: { path, value }, sort };
});

export interface Request {
  readonly scope: Omit<Scope, 'item'>;
  readonly condition: Condition;
  readonly filter: Condition;
  readonly key: KeyCondition | null;
  readonly projection: readonly Path[] | null;
  readonly update: readonly Action[];
}

const ALWAYS: Condition = () => true;

/** @throws ValidationException if an expression is invalid, or a placeholder is undefined or unused */
export function readExpressions(input: Expressions): Request {
  const parsed: Parsed<unknown>[] = [];
  const read = <M, Without>(
    parse: (text: string) => Parsed<M>,
    text: string | undefined,
    without: Without,
  ) => {
    if (text === undefined) return without;
    const expression = parse(text);
    parsed.push(expression);
    return expression.meaning;
  };
  const request = {
    scope: {
      names: input.ExpressionAttributeNames ?? {},
      values: toAttributes(input.ExpressionAttributeValues ?? {}),
    },
    condition: read(parseCondition, input.ConditionExpression, ALWAYS),
    filter: read(parseCondition, input.FilterExpression, ALWAYS),
    key: read(parseKeyCondition, input.KeyConditionExpression, null),
    projection: read(parseProjection, input.ProjectionExpression, null),
    update: read(parseUpdate, input.UpdateExpression, []),
  };
  const { names, values } = request.scope;
  for (const given of [input.ExpressionAttributeNames, input.ExpressionAttributeValues]) {
    if (given === undefined) continue;
    const placeholders = Object.keys(given);
    if (placeholders.length === 0) throw validationError('a map of placeholders must not be empty');
    for (const name of placeholders) {
      if (!parsed.some((each) => each.placeholders.has(name)))
        throw validationError(`${name} is unused`);
    }
  }
  for (const { placeholders } of parsed) {
    for (const name of placeholders) {
      if (names[name] === undefined && values[name] === undefined) {
        throw validationError(`${name} is not defined`);
      }
    }
  }
  return request;
}

/** Applies all actions; each reads the item as it was before the update. */
export function applyUpdate(actions: readonly Action[], scope: Scope): Item {
  const after: Record<string, AttributeValue> = { ...scope.item };
  const changed = new Set<string>(Object.values(TABLE_KEY));
  for (const { path, value } of actions) {
    const name = path(scope);
    if (changed.has(name)) throw validationError(`${name} is part of the key, or is updated twice`);
    changed.add(name);
    const next = value(scope);
    if (next === undefined) delete after[name];
    else after[name] = next;
  }
  return after;
}

export function projectItem(item: Native, names: readonly string[]): Native {
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = item[name];
      return value === undefined ? [] : [[name, value]];
    }),
  );
}

const OPTIONS = { ...NUMBERS_AS_DOUBLES.marshallOptions, convertTopLevelContainer: true };

/**
 * Converts attributes like the document client, which drops undefined attributes at the top level and rejects them
 * deeper.
 */
export function toAttributes(native: Native): Item {
  const item: Record<string, AttributeValue> = {};
  for (const name in native) {
    const value = native[name];
    if (value !== undefined) item[name] = marshall(value, OPTIONS);
  }
  return item;
}

/** Parses each text once, because the stores' expressions are constants. */
function memoizeParsing<Meaning>(
  parse: (parser: Parser) => Meaning,
): (text: string) => Parsed<Meaning> {
  const known = new Map<string, Parsed<Meaning>>();
  return (text) => {
    const before = known.get(text);
    if (before !== undefined) return before;
    const parser = new Parser(text);
    const meaning = parse(parser);
    parser.end();
    const parsed = { meaning, placeholders: parser.placeholders };
    known.set(text, parsed);
    return parsed;
  };
}
