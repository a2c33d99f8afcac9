import { describe, expect, it } from 'vitest';
import { evaluateQuery } from '../../support/dashboard/insights.ts';

const NOW = new Date('2026-03-01T12:00:00Z');
const line = (fields: object, secondsAgo = 0, group = 'one') => ({
  group,
  at: NOW.getTime() - secondsAgo * 1_000,
  text: JSON.stringify(fields),
  fields: { ...fields },
});
const LINES = [
  line({ id: 'a', n: 1, deep: { x: 2 }, gone: null }, 30),
  line({ id: 'a', n: 10 }, 10, 'two'),
  line({ id: 'b', n: 9 }, 200),
  line({ n: 5 }, 20),
  line({ n: 7 }, 40),
];
const run = (query: string) => evaluateQuery(query, LINES, NOW);
const column = (query: string, name = 'n') => run(query).map((row) => row[name]);

describe('a query', () => {
  it.each([
    ['fields n | parse @message "*" as x', 'parse'],
    ['fields n | display n', 'display'],
    ['fields n | stats avg(n) as mean', 'avg'],
    ['fields n | filter strlen(id) > 1', 'strlen'],
    ['fields n | filter id != "a"', 'absent'],
    ['fields n | filter id > 3', 'not numbers'],
    ['fields n | dedup id | sort n asc', 'after dedup'],
    ['fields n | filter n = 1 n', 'expected the end'],
  ])('is rejected if it uses unimplemented or undocumented syntax: %s', (query, message) => {
    expect(() => run(query)).toThrow(message);
  });

  it('returns the newest rows first, and sorts numbers by value', () => {
    expect(column('fields n')).toEqual([10, 5, 1, 7, 9]);
    expect(column('fields n | sort n desc | limit 2')).toEqual([10, 9]);
  });

  it('with `dedup` keeps the first row of each value, and every row without a value', () => {
    expect(column('fields n | sort n asc | dedup id')).toEqual([1, 5, 7, 9]);
  });

  it('reads nested fields, treats null as absent, and reads only a named log group', () => {
    expect(column('fields n | filter deep.x = 2 and not ispresent(gone)')).toEqual([1]);
    expect(column("SOURCE 'two' | fields n")).toEqual([10]);
  });

  it('evaluates `and` before `or`, and `now()` as the time at which it starts', () => {
    expect(column('fields n | filter id = "a" and n = 10 or n in [5, 6]')).toEqual([10, 5]);
    const recent = 'toMillis(@timestamp) > (now() - 35) * 1000';
    expect(column(`fields n | filter ${recent}`)).toEqual([10, 5, 1]);
    expect(column('fields n | filter coalesce(id, "none") != "a" | filter id like /^b/')).toEqual([
      9,
    ]);
  });

  it('computes by group, including a group of absent fields', () => {
    const columns =
      'count(*) as rows, sum(n > 5) as many, pct(n, 50) as p50, count_distinct(n) as n';
    expect(run(`stats ${columns} by id | sort rows desc | sort id asc`)).toEqual([
      { id: 'a', rows: 2, many: 1, p50: 1, n: 2 },
      { id: 'b', rows: 1, many: 1, p50: 9, n: 1 },
      { id: undefined, rows: 2, many: 1, p50: 5, n: 2 },
    ]);
  });
});
