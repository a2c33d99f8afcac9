import type { Line } from '../deployed/log-lines.ts';

// Evaluates the part of the CloudWatch Logs Insights language that the dashboard and the saved queries use, because the
// emulator ignores most of it and no library evaluates it. Whatever is missing here, or left open by the documentation
// (such as `!=` of an absent field), is an error rather than a guess. The page of a command is
// CWL_QuerySyntax-<Command>.html next to https://docs.aws.amazon.com/AmazonCloudWatch/latest/logs/CWL_QuerySyntax.html

export type Value = string | number | boolean | undefined;
export type Row = Readonly<Record<string, Value>>;
type Read = (row: Row) => Value;

/**
 * Functions of a row's values, in addition to `now`:
 * https://docs.aws.amazon.com/AmazonCloudWatch/latest/logs/CWL_QuerySyntax-operations-functions.html
 */
const FUNCTIONS: Readonly<Record<string, (...of: readonly Value[]) => Value>> = {
  ispresent: (value) => value !== undefined,
  coalesce: (...values) => values.find((value) => value !== undefined),
  tomillis: (time) => time,
};

/**
 * Functions of a group's values: https://docs.aws.amazon.com/AmazonCloudWatch/latest/logs/CWL_QuerySyntax-Stats.html.
 * Comparisons may be arguments of functions, according to the page about operations; true counts as 1.
 */
const AGGREGATES: Readonly<Record<string, (of: readonly Value[], percent: number) => Value>> = {
  count: (values) => values.length,
  count_distinct: (values) => new Set(values).size,
  sum: (values) => values.reduce<number>((sum, value) => sum + Number(value), 0),
  pct: (values, percent) => computePercentile(values.map(Number), percent),
};

/** Computes a percentile by the nearest-rank method; undefined without values, or if the percent is not a number. */
export function computePercentile(values: readonly number[], percent: number): number | undefined {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil((percent / 100) * sorted.length) - 1)];
}

const listPresent = (values: readonly Value[]) => values.filter((value) => value !== undefined);

/** Returns the rows of a query that starts at `now`, over lines of any log groups. */
export function evaluateQuery(query: string, lines: readonly Line[], now: Date): readonly Row[] {
  let rows = lines.map(toRow);
  let shown: readonly string[] = [];
  let isLimited = false;
  let after: string | undefined;
  // By default rows are sorted newest first, and there are at most 10,000 (the page about `limit`).
  rows.sort(compareBy('@timestamp', 'desc'));
  for (const text of splitCommands(query)) {
    const parser = new Parser(text, now);
    const command = parser.takeName().toLowerCase();
    if (after === 'dedup' && command !== 'limit') throw new Error(`${command} after dedup`);
    after = command;
    switch (command) {
      case 'source': {
        const group = parser.takeText();
        rows = rows.filter((row) => String(row['@log']).endsWith(`:${group}`));
        break;
      }
      case 'fields':
        shown = [...shown, ...parser.takeNames()];
        break;
      case 'filter': {
        const read = parser.takeExpression();
        rows = rows.filter((row) => read(row) === true);
        break;
      }
      case 'stats': {
        const { columns, by } = parser.takeStats();
        const groups = new Map<string, Row[]>();
        for (const row of rows) {
          const key = JSON.stringify(by.map((name) => row[name] ?? null));
          groups.set(key, [...(groups.get(key) ?? []), row]);
        }
        rows = [...groups.values()].map((group) =>
          Object.fromEntries([
            ...by.map((name) => [name, group[0]?.[name]] as const),
            ...columns.map(({ name, compute }) => [name, compute(group)] as const),
          ]),
        );
        shown = [...by, ...columns.map(({ name }) => name)];
        break;
      }
      case 'sort':
        rows.sort(compareBy(parser.takeName(), parser.takeName()));
        break;
      case 'dedup': {
        const names = parser.takeNames();
        const seen = new Set<string>();
        rows = rows.filter((row) => {
          const key = JSON.stringify(names.map((name) => row[name]));
          // Rows without a value are not duplicates (the page about `dedup`).
          const isNew = !seen.has(key) || names.some((name) => row[name] === undefined);
          seen.add(key);
          return isNew;
        });
        break;
      }
      case 'limit':
        rows = rows.slice(0, parser.takeNumber());
        isLimited = true;
        break;
      default:
        throw new Error(`the command ${command} is not implemented`);
    }
    parser.end();
  }
  if (!isLimited) rows = rows.slice(0, 10_000);
  return rows.map((row) => Object.fromEntries(shown.map((name) => [name, row[name]])));
}

/** Returns a line's fields: those of its JSON, with nested names joined by dots, and the discovered fields. */
function toRow({ group, text, fields, at }: Line): Row {
  return {
    ...flatten(fields ?? {}),
    '@timestamp': at,
    '@message': text,
    '@log': `000000000000:${group}`,
  };
}

/**
 * Flattens nested fields:
 * https://docs.aws.amazon.com/AmazonCloudWatch/latest/logs/CWL_AnalyzeLogData-discoverable-fields.html
 */
function flatten(value: object, prefix = ''): Record<string, Value> {
  return Object.assign(
    {},
    ...Object.entries(value).map(([name, one]) => {
      if (one === null) return {};
      const path = prefix + name;
      return typeof one === 'object' ? flatten(one, `${path}.`) : { [path]: one };
    }),
  );
}

/** Rows without the value come last. */
function compareBy(name: string, order: string): (a: Row, b: Row) => number {
  if (order !== 'asc' && order !== 'desc') throw new Error(`sort has the order ${order}`);
  const sign = order === 'asc' ? 1 : -1;
  return ({ [name]: a }, { [name]: b }) => {
    if (a === undefined || b === undefined)
      return Number(a === undefined) - Number(b === undefined);
    if (typeof a === 'number' && typeof b === 'number') return sign * (a - b);
    return sign * String(a).localeCompare(String(b));
  };
}

/** Separates commands at each `|` outside a text or pattern. */
function splitCommands(query: string): readonly string[] {
  return (query.match(/(?:"[^"]*"|'[^']*'|(?<=like\s*)\/[^/]*\/|[^|])+/g) ?? []).map((one) =>
    one.trim(),
  );
}

const TOKEN =
  /\s*(?:(?<text>"[^"]*"|'[^']*')|(?<number>\d+(?:\.\d+)?)|(?<name>@?[A-Za-z_][\w.]*)|(?<mark>!=|[<>]=?|[-=+*/(),[\]]))/y;

type Token = Readonly<Partial<Record<'text' | 'number' | 'name' | 'mark', string>>>;

class Parser {
  private at = 0;
  private readonly command: string;
  private readonly now: Date;

  constructor(command: string, now: Date) {
    this.command = command;
    this.now = now;
  }

  end(): void {
    if (this.at < this.command.length) this.fail('the end');
  }

  takeName(): string {
    return this.take().name ?? this.fail('a name');
  }

  takeText(): string {
    return this.take().text?.slice(1, -1) ?? this.fail('a text');
  }

  takeNumber(): number {
    return Number(this.take().number ?? this.fail('a number'));
  }

  takeNames(): readonly string[] {
    return this.takeList(() => this.takeName());
  }

  takeStats() {
    const columns = this.takeList(() => {
      const called = this.takeName();
      const run = AGGREGATES[called.toLowerCase()] ?? unknownFunction(called);
      this.expect('(');
      const read: Read = this.has('*') ? () => true : this.takeExpression();
      const percent = this.has(',') ? this.takeNumber() : 100;
      this.expect(')');
      if (!this.has('as')) this.fail('as');
      // Rows without the value do not count.
      const compute = (rows: readonly Row[]) => run(listPresent(rows.map(read)), percent);
      return { name: this.takeName(), compute };
    });
    return { columns, by: this.has('by') ? this.takeNames() : [] };
  }

  takeExpression(): Read {
    let left = this.takeConjunction();
    while (this.has('or')) {
      const [a, b] = [left, this.takeConjunction()];
      left = (row) => a(row) === true || b(row) === true;
    }
    return left;
  }

  private takeConjunction(): Read {
    let left = this.takeNegation();
    while (this.has('and')) {
      const [a, b] = [left, this.takeNegation()];
      left = (row) => a(row) === true && b(row) === true;
    }
    return left;
  }

  private takeNegation(): Read {
    if (!this.has('not')) return this.takeComparison();
    const read = this.takeNegation();
    return (row) => read(row) !== true;
  }

  private takeComparison(): Read {
    const left = this.takeSum();
    if (this.has('in')) {
      this.expect('[');
      const values = this.takeList(() => this.takeSum());
      this.expect(']');
      return (row) => values.some((value) => isEqual(left(row), value(row)));
    }
    if (this.has('like')) {
      const pattern = new RegExp(this.takePattern());
      return (row) => pattern.test(String(left(row) ?? ''));
    }
    for (const mark of ['!=', '<=', '>=', '=', '<', '>'] as const) {
      if (!this.has(mark)) continue;
      const right = this.takeSum();
      return (row) => compareValues(left(row), mark, right(row));
    }
    return left;
  }

  private takeSum(): Read {
    let left = this.takeProduct();
    for (;;) {
      const sign = this.has('+') ? 1 : this.has('-') ? -1 : 0;
      if (sign === 0) return left;
      const [a, b] = [left, this.takeProduct()];
      left = (row) => Number(a(row)) + sign * Number(b(row));
    }
  }

  private takeProduct(): Read {
    let left = this.takeOperand();
    while (this.has('*')) {
      const [a, b] = [left, this.takeOperand()];
      left = (row) => Number(a(row)) * Number(b(row));
    }
    return left;
  }

  private takeOperand(): Read {
    if (this.has('(')) {
      const read = this.takeExpression();
      this.expect(')');
      return read;
    }
    const { text, number, name } = this.take();
    if (text !== undefined) return () => text.slice(1, -1);
    if (number !== undefined) return () => Number(number);
    if (name === undefined) return this.fail('a value');
    if (!this.has('(')) return (row) => row[name];
    const called = name.toLowerCase();
    const given = this.has(')') ? [] : this.takeList(() => this.takeExpression());
    if (given.length > 0) this.expect(')');
    // `now` is in seconds since 1970, at the start of the query (the page about operations).
    if (called === 'now') return () => Math.floor(this.now.getTime() / 1_000);
    const run = FUNCTIONS[called] ?? unknownFunction(name);
    return (row) => run(...given.map((read) => read(row)));
  }

  private takeList<Item>(takeItem: () => Item): readonly Item[] {
    const items = [takeItem()];
    while (this.has(',')) items.push(takeItem());
    return items;
  }

  private takePattern(): string {
    const [whole, pattern] = /^\s*\/([^/]*)\//.exec(this.command.slice(this.at)) ?? [];
    if (whole === undefined || pattern === undefined) return this.fail('a pattern');
    this.at += whole.length;
    return pattern;
  }

  private has(expected: string): boolean {
    const start = this.at;
    const { mark, name } = this.take();
    if (mark === expected || name?.toLowerCase() === expected) return true;
    this.at = start;
    return false;
  }

  private expect(mark: string): void {
    if (!this.has(mark)) this.fail(mark);
  }

  private take(): Token {
    TOKEN.lastIndex = this.at;
    const found = TOKEN.exec(this.command);
    if (found === null) return {};
    this.at = TOKEN.lastIndex;
    return found.groups ?? {};
  }

  private fail(expected: string): never {
    throw new Error(`expected ${expected} at ${this.at} of: ${this.command}`);
  }
}

function unknownFunction(name: string): never {
  throw new Error(`the function ${name} is not implemented`);
}

function isEqual(a: Value, b: Value): boolean {
  return a !== undefined && b !== undefined && String(a) === String(b);
}

function compareValues(a: Value, mark: '!=' | '<=' | '>=' | '=' | '<' | '>', b: Value): boolean {
  if (mark === '=') return isEqual(a, b);
  if (a === undefined || b === undefined) throw new Error(`${mark} of an absent field`);
  if (mark === '!=') return !isEqual(a, b);
  const [left, right] = [Number(a), Number(b)];
  if (Number.isNaN(left) || Number.isNaN(right))
    throw new Error(`${a} ${mark} ${b} compares values that are not numbers`);
  if (mark === '<') return left < right;
  if (mark === '>') return left > right;
  return mark === '<=' ? left <= right : left >= right;
}
