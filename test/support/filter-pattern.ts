/** Whether a log line matches, as in CloudWatch Logs. */
export type FilterPattern = (line: string) => boolean;

type Condition = (line: unknown) => boolean;

/**
 * A JSON filter pattern of CloudWatch Logs, as far as the service uses them: `=` and `!=` of strings, a
 * `*` at the end, `&&`, `||` and parentheses. A comparison with a missing field does not match.
 * https://docs.aws.amazon.com/AmazonCloudWatch/latest/logs/FilterAndPatternSyntax.html
 */
export function filterPattern(text: string): FilterPattern {
  const [, inner = ''] = /^\{(.*)\}$/s.exec(text.trim()) ?? [];
  const tokens = [...inner.matchAll(/\(|\)|&&|\|\||(\$[\w.]+) *(!?=) *"([^"]*)"|(\S)/g)];
  let next = 0;
  const takes = (token: string) => {
    const found = tokens[next]?.[0] === token;
    if (found) next += 1;
    return found;
  };
  const either = (): Condition => {
    const parts = [both()];
    while (takes('||')) parts.push(both());
    return (line) => parts.some((part) => part(line));
  };
  const both = (): Condition => {
    const parts = [single()];
    while (takes('&&')) parts.push(single());
    return (line) => parts.every((part) => part(line));
  };
  const single = (): Condition => {
    if (takes('(')) {
      const within = either();
      if (!takes(')')) throw new Error(`unclosed parenthesis: ${text}`);
      return within;
    }
    const [, path, operator, value] = tokens[next] ?? [];
    next += 1;
    if (path === undefined || value === undefined) throw new Error(`unsupported pattern: ${text}`);
    return (line) => {
      const actual = at(line, path.split('.').slice(1));
      if (actual === undefined) return false;
      const prefix = value.endsWith('*') ? value.slice(0, -1) : null;
      const is = prefix === null ? actual === value : actual.startsWith(prefix);
      return is === (operator === '=');
    };
  };
  const whole = either();
  if (next !== tokens.length) throw new Error(`unsupported pattern: ${text}`);
  return (line) => whole(parsed(line));
}

function at(line: unknown, path: readonly string[]): string | undefined {
  const value = path.reduce<unknown>(
    (within, name) =>
      typeof within === 'object' && within !== null ? Reflect.get(within, name) : undefined,
    line,
  );
  return value === undefined ? undefined : String(value);
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}
