import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { notImplementedError, validationError } from './errors.ts';
import { QUOTAS } from './sizes.ts';
import { addNumbers, addToValue, areEqual, compareValues, type Item } from './values.ts';

/** The inputs of an expression: the item as it is stored, and the request's placeholders. */
export interface Scope {
  readonly item: Item;
  readonly names: Readonly<Record<string, string>>;
  readonly values: Item;
}

export type Condition = (scope: Scope) => boolean;
type Operand = (scope: Scope) => AttributeValue | undefined;
export type Path = (scope: Pick<Scope, 'names'>) => string;

/** If the value is undefined, the attribute is removed. */
export interface Action {
  readonly path: Path;
  readonly value: Operand;
}

const COMPARISONS: Readonly<Record<string, (order: number) => boolean>> = {
  '<': (order) => order < 0,
  '<=': (order) => order <= 0,
  '>': (order) => order > 0,
  '>=': (order) => order >= 0,
};

/**
 * A recursive-descent parser for the part of the grammar that the stores use (DynamoDB Developer Guide, "Condition and
 * filter expressions", "Update expressions"). Paths are attribute names, without `.` and `[…]`.
 */
export class Parser {
  readonly placeholders = new Set<string>();
  private readonly text: string;
  private readonly tokens: readonly string[];
  private at = 0;

  constructor(text: string) {
    this.text = text;
    if (text === '' || Buffer.byteLength(text) > QUOTAS.expression) {
      throw validationError(`an expression must have 1 to ${QUOTAS.expression} bytes`);
    }
    this.tokens = text.match(/[#:]?\w+|<>|[<>]=|[^\s]/g) ?? [];
  }

  end(): void {
    if (this.at < this.tokens.length) throw this.unexpected();
  }

  condition(): Condition {
    const left = this.conjunction();
    if (!this.take('OR')) return left;
    const right = this.condition();
    return (scope) => left(scope) || right(scope);
  }

  private conjunction(): Condition {
    const left = this.term();
    if (!this.take('AND')) return left;
    const right = this.conjunction();
    return (scope) => left(scope) && right(scope);
  }

  private term(): Condition {
    if (!this.take('(')) return this.predicate();
    const inner = this.condition();
    this.expect(')');
    return inner;
  }

  predicate(): Condition {
    if (this.tokens[this.at + 1] === '(') return this.test();
    const left = this.operand();
    if (this.take('BETWEEN')) {
      const low = this.operand();
      this.expect('AND');
      const high = this.operand();
      return (scope) =>
        doesHold('>=', left(scope), low(scope)) && doesHold('<=', left(scope), high(scope));
    }
    if (this.take('IN')) {
      const candidates = this.list(() => this.operand());
      return (scope) => candidates.some((each) => doesHold('=', left(scope), each(scope)));
    }
    const operator = this.next();
    if (operator !== '=' && operator !== '<>' && COMPARISONS[operator] === undefined) {
      throw this.unexpected(-1);
    }
    const right = this.operand();
    return (scope) => doesHold(operator, left(scope), right(scope));
  }

  private test(): Condition {
    const name = this.next();
    const [read, other] = this.list(() => this.operand());
    if (read === undefined) throw this.unexpected(-1);
    switch (name) {
      case 'attribute_exists':
        return (scope) => read(scope) !== undefined;
      case 'attribute_not_exists':
        return (scope) => read(scope) === undefined;
      case 'attribute_type':
        return (scope) => {
          const [value, type] = [read(scope), other?.(scope)?.S ?? ''];
          return value !== undefined && type in value;
        };
      case 'begins_with':
        return (scope) => {
          const prefix = other?.(scope)?.S;
          if (prefix === undefined) throw validationError('begins_with takes a string');
          return read(scope)?.S?.startsWith(prefix) === true;
        };
      default:
        throw notImplementedError(`the function ${name} of expressions`);
    }
  }

  /** Parses an update, such as `SET a = b + :c, d = :d REMOVE e ADD f :f`. */
  update(): readonly Action[] {
    const actions: Action[] = [];
    while (this.at < this.tokens.length) {
      const clause = this.next();
      do actions.push(this.action(clause));
      while (this.take(','));
    }
    return actions;
  }

  private action(clause: string): Action {
    const path = this.path();
    switch (clause) {
      case 'SET':
        this.expect('=');
        return { path, value: requireExisting(this.sum()) };
      case 'ADD': {
        const added = requireExisting(this.operand());
        return {
          path,
          value: (scope) => addToValue(scope.item[path(scope)], added(scope)),
        };
      }
      case 'REMOVE':
        return { path, value: () => undefined };
      default:
        throw notImplementedError(`${clause} in "${this.text}"`);
    }
  }

  private sum(): Operand {
    const left = this.operand();
    const sign = this.take('+') ? 1 : this.take('-') ? -1 : null;
    if (sign === null) return left;
    const [first, second] = [requireExisting(left), requireExisting(this.operand())];
    return (scope) => addNumbers(first(scope), second(scope), sign);
  }

  /** Parses a projection, such as `a, #b, c`. */
  projection(): readonly Path[] {
    const paths = [this.path()];
    while (this.take(',')) paths.push(this.path());
    return paths;
  }

  private operand(): Operand {
    if (this.tokens[this.at + 1] === '(') return this.operandFunction();
    if (this.tokens[this.at]?.startsWith(':')) {
      const placeholder = this.placeholder();
      return ({ values }) => values[placeholder];
    }
    const path = this.path();
    return (scope) => scope.item[path(scope)];
  }

  private operandFunction(): Operand {
    const name = this.next();
    const [first, second] = this.list(() => this.operand());
    if (first === undefined || second === undefined) throw this.unexpected(-1);
    switch (name) {
      case 'if_not_exists':
        return (scope) => first(scope) ?? second(scope);
      case 'list_append':
        return (scope) => {
          const [before, after] = [
            requireExisting(first)(scope).L,
            requireExisting(second)(scope).L,
          ];
          if (before === undefined || after === undefined)
            throw validationError('list_append takes lists');
          return { L: [...before, ...after] };
        };
      default:
        throw notImplementedError(`the function ${name} of expressions`);
    }
  }

  path(): Path {
    const word = this.tokens[this.at] ?? '';
    if (word.startsWith('#')) {
      const placeholder = this.placeholder();
      return ({ names }) => names[placeholder] ?? '';
    }
    if (!/^[a-z]\w*$/i.test(word)) throw this.unexpected();
    this.at += 1;
    return () => word;
  }

  placeholder(): string {
    const word = this.next();
    if (!/^[:#]\w+$/.test(word)) throw this.unexpected(-1);
    this.placeholders.add(word);
    return word;
  }

  private list<T>(read: () => T): readonly T[] {
    this.expect('(');
    const elements = [read()];
    while (this.take(',')) elements.push(read());
    this.expect(')');
    return elements;
  }

  private next(): string {
    const token = this.tokens[this.at];
    if (token === undefined) throw this.unexpected();
    this.at += 1;
    return token;
  }

  take(word: string): boolean {
    const isNext = this.tokens[this.at] === word;
    if (isNext) this.at += 1;
    return isNext;
  }

  expect(word: string): void {
    if (!this.take(word)) throw this.unexpected();
  }

  private unexpected(offset = 0): Error {
    const token = this.tokens[this.at + offset] ?? 'the end';
    return validationError(
      `"${token}" is not valid here, or not implemented in memory: ${this.text}`,
    );
  }
}

/** Only values of the same type have an order; values of different types are unequal. */
function doesHold(
  operator: string,
  a: AttributeValue | undefined,
  b: AttributeValue | undefined,
): boolean {
  const isEqual = a !== undefined && b !== undefined && areEqual(a, b);
  if (operator === '=') return isEqual;
  if (operator === '<>') return !isEqual;
  if (a === undefined || b === undefined) return false;
  const order = compareValues(a, b);
  return order !== null && COMPARISONS[operator]?.(order) === true;
}

function requireExisting(operand: Operand): (scope: Scope) => AttributeValue {
  return (scope) => {
    const value = operand(scope);
    if (value === undefined) {
      throw validationError(
        'The expression refers to an attribute that does not exist in the item',
      );
    }
    return value;
  };
}
