import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { SAVED_QUERIES } from '../../lib/observability/saved-queries.ts';
import { toList, valueAtPath } from '../../local/json.ts';
import { synthesise } from '../support/infra/synthesised.ts';

const { ofType, text } = synthesise('prod');

describe('a saved query', () => {
  const documented = new Set(
    [...readFileSync('docs/logs.md', 'utf8').matchAll(/`([a-z_.]+)`/g)].map(([, name]) => name),
  );

  it.each(Object.entries(SAVED_QUERIES))('%s uses documented fields', (_, query) => {
    for (const field of query.fields.filter((name) => !name.startsWith('@'))) {
      expect(documented).toContain(field);
    }
  });

  it('reads the logs of every function, or both access logs', () => {
    const functions = ofType('AWS::Lambda::Function').filter(({ id }) => !/framework/.test(id));
    for (const { properties } of ofType('AWS::Logs::QueryDefinition')) {
      const logs = toList(properties['LogGroupNames']).map(text);
      const requests = logs.filter((name) => name.includes('AccessLogs'));
      expect(logs).toHaveLength(requests.length > 0 ? 2 : functions.length);
    }
  });

  it('distinguishes operations by the log event of their function, because several paths may be one resource', () => {
    const operations = queryOf('operations');
    expect(operations).toMatch(/pct\(duration_ms, 95\) as p95.* by event$/m);
    expect(operations).toContain('sum(outcome = "failed") as failed');
  });

  it('finds in the access log which requests no function answered', () => {
    expect(queryOf('gateway')).toMatch(/504.*\n.* by status, method, resource$/m);
    for (const { properties } of ofType('AWS::ApiGateway::Stage')) {
      const format = JSON.parse(text(valueAtPath(properties, 'AccessLogSetting', 'Format')));
      const fields = SAVED_QUERIES['gateway']?.fields ?? [];
      expect(Object.keys(format)).toEqual(expect.arrayContaining([...fields]));
    }
  });

  function queryOf(name: string): string {
    const [query] = ofType('AWS::Logs::QueryDefinition').filter(({ properties }) =>
      text(properties['Name']).endsWith(`/${name}`),
    );
    return text(query?.properties['QueryString']);
  }
});
