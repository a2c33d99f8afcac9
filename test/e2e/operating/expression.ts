import type { Course } from './figures.ts';

// As much of CloudWatch's metric math as the dashboards use: numbers, ids, + - * / and FILL(id, 0).

type Value = number | null;
type Minute = (at: number) => Value;

const TOKEN = /\s*([A-Za-z_]\w*|\d+(?:\.\d+)?|[-+*/(),])/y;

/**
 * An expression over courses, minute by minute. What is not known makes all it is part of unknown;
 * division by zero gives no value.
 * @throws Error on what the dashboards do not use, such as a function of CloudWatch's own figures
 */
export function evaluated(expression: string, named: ReadonlyMap<string, Course>): Course {
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
    if (token === undefined) throw new Error(`${expression} can't be read`);
    tokens.push(token);
  }
  return tokens;
}

type Read = (tokens: string[], named: ReadonlyMap<string, Course>) => Minute;

const sum: Read = chained(product, {
  '+': (a, b) => a + b,
  '-': (a, b) => a - b,
});

function product(tokens: string[], named: ReadonlyMap<string, Course>): Minute {
  return chained(operand, {
    '*': (a, b) => a * b,
    '/': (a, b) => (b === 0 ? null : a / b),
  })(tokens, named);
}

function chained(part: Read, operators: Readonly<Record<string, (a: number, b: number) => Value>>) {
  return (tokens: string[], named: ReadonlyMap<string, Course>): Minute => {
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

function operand(tokens: string[], named: ReadonlyMap<string, Course>): Minute {
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
    const instead = sum(tokens, named);
    expect(tokens, ')');
    return (at) => value(at) ?? instead(at);
  }
  if (/^\d/.test(token)) return () => Number(token);
  const course = named.get(token);
  if (course === undefined) throw new Error(`${token} is no metric of the graph`);
  return (at) => course[at] ?? null;
}

function expect(tokens: string[], token: string): void {
  const found = tokens.shift();
  if (found !== token) throw new Error(`${found} stands where ${token} should`);
}
