import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

/** Files that read indexes, as hints: DynamoDB has no consistent read of a GSI. */
const INDEX_READERS = [
  'adapters/dynamodb/sparse-index.ts: QueryCommand',
  'adapters/dynamodb/batch-index.ts: QueryCommand',
];

const READS =
  /new\s+(GetCommand|GetItemCommand|QueryCommand|BatchGetCommand|BatchGetItemCommand|ScanCommand)\s*\(/g;
/** Ways to read whose options this scan does not see. */
const FORBIDDEN =
  /\b(paginateQuery|paginateScan|ExecuteStatementCommand|DynamoDBDocument\b(?!Client))/;

interface Read {
  readonly place: string;
  readonly argument: string;
}

/** The text between a call's parentheses. */
function argumentAt(source: string, open: number): string {
  let depth = 0;
  for (let at = open; at < source.length; at++) {
    if (source[at] === '(') depth++;
    if (source[at] === ')' && --depth === 0) return source.slice(open + 1, at);
  }
  throw new Error('unbalanced parentheses');
}

function readsIn(place: string, source: string): Read[] {
  return [...source.matchAll(READS)].map((match) => ({
    place: `${place}: ${match[1]}`,
    argument: argumentAt(source, match.index + match[0].length - 1),
  }));
}

function isAllowed({ place, argument }: Read): boolean {
  if (/\bConsistentRead:\s*true\b/.test(argument)) return true;
  return INDEX_READERS.includes(place) && /\bIndexName:/.test(argument);
}

const files = readdirSync('lambdas', { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.ts'))
  .map((file) => ({ file, source: readFileSync(`lambdas/${file}`, 'utf8') }));
const reads = files.flatMap(({ file, source }) => readsIn(file, source));

describe('reads of state', () => {
  it('are found by this scan', () => {
    expect(reads.map(({ place }) => place)).toContain('adapters/dynamodb/table.ts: GetCommand');
    expect(reads.map(({ place }) => place)).toContain('adapters/dynamodb/table.ts: QueryCommand');
  });

  it.each(reads)('are consistent on the base table: $place', (read) => {
    expect(isAllowed(read)).toBe(true);
  });

  it('use no other command', () => {
    const others = files.filter(({ source }) => FORBIDDEN.test(source)).map(({ file }) => file);
    expect(others).toEqual([]);
  });

  it.each([
    { source: 'new GetCommand({ TableName: t, Key: k })', allowed: false },
    { source: 'new GetCommand({ Key: k(a, b), ConsistentRead: false })', allowed: false },
    { source: 'new QueryCommand({ ...input })', allowed: false },
    { source: 'new ScanCommand({ TableName: t })', allowed: false },
    { source: 'new QueryCommand({ IndexName: index.name })', allowed: false },
    { source: 'new GetCommand({ Key: k(a, b), ConsistentRead: true })', allowed: true },
  ])('count as consistent only when they say so: $source', ({ source, allowed }) => {
    expect(readsIn('example', source).map(isAllowed)).toEqual([allowed]);
  });
});
