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

  it('has latency and errors of each operation from fields of the access log', () => {
    const [query] = ofType('AWS::Logs::QueryDefinition').filter(({ properties }) =>
      text(properties['Name']).endsWith('/operations'),
    );
    expect(toList(query?.properties['LogGroupNames']).map(text)).toEqual([
      expect.stringMatching(/^<ApiV1AccessLogs/),
      expect.stringMatching(/^<ApiV2AccessLogs/),
    ]);
    const queryString = text(query?.properties['QueryString']);
    expect(queryString).toMatch(/pct\(latency_ms, 95\) as p95.* by method, resource$/m);
    expect(queryString).toContain('sum(status >= 500) as failed');
    for (const { properties } of ofType('AWS::ApiGateway::Stage')) {
      const format = JSON.parse(text(valueAtPath(properties, 'AccessLogSetting', 'Format')));
      const fields = SAVED_QUERIES['operations']?.fields ?? [];
      expect(Object.keys(format)).toEqual(expect.arrayContaining([...fields]));
    }
  });
});
