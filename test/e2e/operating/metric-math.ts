import type { Datapoints } from './run-metrics.ts';

// The part of CloudWatch's metric math that the dashboards use: numbers, ids, + - * / and FILL(id, 0).

type Value = number | null;
type Minute = (at: number) => Value;

const TOKEN = /\s*([A-Za-z_]\w*|\d+(?:\.\d+)?|[-+*/(),])/y;

/**
 * Evaluates an expression minute by minute. An operand without a value, or a division by zero, gives no
 * value.
 * @throws Error on syntax that the dashboards do not use
 */
export function evaluate(expression: string, named: ReadonlyMap<string, Datapoints>): Datapoints {
  const tokens = tokensOf(expression);
  const minutes = Math.max(0, ...[...named.values()].map(({ length }) => length));
  const value = sum(tokens, named);
  if (tokens.length > 0) throw new Error(`${expression}: ${tokens.join(' ')} is left over`);
  return Array.from({ length: minutes }, (_, at) => value(at));
}

function tokensOf(expression: string): string[] {
  const tokens: string[] = [];
  TOKEN.lastIndex = 0;
  while (TOKEN.lastIndex < expression.length) {
    const token = TOKEN.exec(expression)?.[1];
    if (token === undefined) throw new Error(`${expression}: unexpected character`);
    tokens.push(token);
  }
  return tokens;
}

type Read = (tokens: string[], named: ReadonlyMap<string, Datapoints>) => Minute;

const sum: Read = chained(product, {
  '+': (a, b) => a + b,
  '-': (a, b) => a - b,
});

function product(tokens: string[], named: ReadonlyMap<string, Datapoints>): Minute {
  return chained(operand, {
    '*': (a, b) => a * b,
    '/': (a, b) => (b === 0 ? null : a / b),
  })(tokens, named);
}

function chained(part: Read, operators: Readonly<Record<string, (a: number, b: number) => Value>>) {
  return (tokens: string[], named: ReadonlyMap<string, Datapoints>): Minute => {
    let value = part(tokens, named);
    for (let apply = operators[tokens[0] ?? '']; apply; apply = operators[tokens[0] ?? '']) {
      tokens.shift();
      value = joined(apply, value, part(tokens, named));
    }
    return value;
  };
}

function joined(apply: (a: number, b: number) => Value, left: Minute, right: Minute): Minute {
  return (at) => {
    const [a, b] = [left(at), right(at)];
    return a === null || b === null ? null : apply(a, b);
  };
}

function operand(tokens: string[], named: ReadonlyMap<string, Datapoints>): Minute {
  const token = tokens.shift() ?? '';
  if (token === '(') {
    const value = sum(tokens, named);
    expect(tokens, ')');
    return value;
  }
  if (token === 'FILL') {
    expect(tokens, '(');
    const value = sum(tokens, named);
    expect(tokens, ',');
    const fallback = sum(tokens, named);
    expect(tokens, ')');
    return (at) => value(at) ?? fallback(at);
  }
  if (/^\d/.test(token)) return () => Number(token);
  const datapoints = named.get(token);
  if (datapoints === undefined) throw new Error(`${token} is no metric of the graph`);
  return (at) => datapoints[at] ?? null;
}

function expect(tokens: string[], token: string): void {
  const found = tokens.shift();
  if (found !== token) throw new Error(`expected ${token}, got ${found}`);
}
