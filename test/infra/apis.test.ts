import { describe, expect, it } from 'vitest';
import { PROBLEM_TYPES } from '../../lambdas/api/http/problem-types.ts';
import { toList, valueAtPath } from '../../local/json.ts';
import { type Resource, synthesise } from '../support/infra/synthesised.ts';

const { ofType, text } = synthesise('prod');

const paths = new Map(
  ofType('AWS::ApiGateway::Resource').map(({ id, properties }) => [id, properties]),
);
const methods = ofType('AWS::ApiGateway::Method').map((method) => ({
  api: text(method.properties['RestApiId']),
  route: `${text(method.properties['HttpMethod'])} ${pathOf(text(method.properties['ResourceId']))}`,
  method,
}));
const apis = ofType('AWS::ApiGateway::RestApi');

describe.each(apis.map((api) => [api.id, api] as const))('the API %s', (id, api) => {
  const own = methods.filter((method) => method.api === `<${id}>`);
  const routesOf = (authorization: string) =>
    own
      .filter(({ method }) => method.properties['AuthorizationType'] === authorization)
      .map(({ route }) => route)
      .sort();

  it('requires a key for every operation under /v1, except OPTIONS', () => {
    const keyed = routesOf('CUSTOM');
    const paths = keyed.filter((route) => route.startsWith('ANY ')).map((route) => route.slice(4));
    expect(paths).toEqual(expect.arrayContaining(['/v1', '/v1/{proxy+}', '/v1/batch']));
    expect(paths.every((path) => /^\/v1\b/.test(path))).toBe(true);
    expect(keyed.filter((route) => !route.startsWith('ANY '))).toEqual([
      'POST /v1/batch',
      'POST /v1/batch/estimate',
      'POST /v1/batch/{batch_id}/cancel',
      'POST /v1/batch/{batch_id}/destination',
      'POST /v1/batch/{batch_id}/retry',
      'POST /v1/webhooks/test',
    ]);
    const keyless = ['ANY /', 'ANY /{proxy+}', ...paths.map((path) => `OPTIONS ${path}`)];
    expect(routesOf('NONE')).toEqual(keyless.sort());
  });

  it('has an ANY method for every path', () => {
    const resources = ofType('AWS::ApiGateway::Resource').filter(
      ({ properties }) => text(properties['RestApiId']) === `<${id}>`,
    );
    const any = own.map(({ route }) => route).filter((route) => route.startsWith('ANY '));
    expect(any.sort()).toEqual(
      ['ANY /', ...resources.map((resource) => `ANY ${pathOf(`<${resource.id}>`)}`)].sort(),
    );
  });

  it('uses the function without key access only for methods that need no key', () => {
    for (const { route, method } of own) {
      const target = text(valueAtPath(method.properties, 'Integration', 'Uri'));
      const isOpen = method.properties['AuthorizationType'] === 'NONE';
      expect(/ApiOpen/.test(target), route).toBe(isOpen);
    }
  });

  it('passes on exact bytes and compresses responses over 1 kB', () => {
    expect(api.properties['BinaryMediaTypes']).toEqual(['*/*']);
    expect(api.properties['MinimumCompressionSize']).toBe(1_024);
    expect(valueAtPath(api.properties, 'EndpointConfiguration', 'Types')).toEqual(['REGIONAL']);
  });

  it('caches the authorizer’s result for a minute, by the Authorization header', () => {
    const [authorizer] = findResponses('AWS::ApiGateway::Authorizer');
    expect(authorizer?.properties).toMatchObject({
      Type: 'REQUEST',
      IdentitySource: 'method.request.header.Authorization',
      AuthorizerResultTtlInSeconds: 60,
    });
  });

  it('logs neither query strings nor headers', () => {
    const [stage] = findResponses('AWS::ApiGateway::Stage');
    const format = text(valueAtPath(stage?.properties, 'AccessLogSetting', 'Format'));
    expect(Object.keys(JSON.parse(format))).toContain('request_id');
    expect(format).not.toMatch(/querystring|header|\$context\.path|authorizer\.(?!tenant|key_id)/i);
  });

  it('is traced and throttled', () => {
    const [stage] = findResponses('AWS::ApiGateway::Stage');
    expect(stage?.properties['TracingEnabled']).toBe(true);
    const [settings, creations] = toList(stage?.properties['MethodSettings']);
    expect(settings).toMatchObject({ ThrottlingRateLimit: 200, ThrottlingBurstLimit: 400 });
    expect(creations).toMatchObject({
      ResourcePath: '/~1v1~1batch',
      HttpMethod: 'POST',
      ThrottlingRateLimit: 100,
      ThrottlingBurstLimit: 200,
    });
  });

  it('has no billed metrics per method, because its access log has the data of each operation', () => {
    const [stage] = findResponses('AWS::ApiGateway::Stage');
    for (const settings of toList(stage?.properties['MethodSettings'])) {
      expect(valueAtPath(settings, 'MetricsEnabled') ?? false).toBe(false);
    }
    const format = JSON.parse(text(valueAtPath(stage?.properties, 'AccessLogSetting', 'Format')));
    expect(format).toMatchObject({
      method: '$context.httpMethod',
      resource: '$context.resourcePath',
      status: '$context.status',
      latency_ms: '$context.responseLatency',
      integration_latency_ms: '$context.integrationLatency',
    });
  });

  it('logs who called: the address, the key ID, and a request ID that no client can choose', () => {
    const [stage] = findResponses('AWS::ApiGateway::Stage');
    const format = JSON.parse(text(valueAtPath(stage?.properties, 'AccessLogSetting', 'Format')));
    expect(format).toMatchObject({
      source_ip: '$context.identity.sourceIp',
      key_id: '$context.authorizer.key_id',
      extended_request_id: '$context.extendedRequestId',
    });
  });

  it('returns its own errors of every type as problem details', () => {
    const responses = findResponses('AWS::ApiGateway::GatewayResponse');
    const types = responses.map(({ properties }) => text(properties['ResponseType']));
    expect(types).toEqual(expect.arrayContaining(['DEFAULT_4XX', 'DEFAULT_5XX', 'UNAUTHORIZED']));
    for (const { properties } of responses) {
      const problem = JSON.parse(
        text(valueAtPath(properties, 'ResponseTemplates', 'application/json')),
      );
      expect(Object.keys(problem)).toEqual(['type', 'title', 'status', 'detail', 'request_id']);
      expect(String(problem.status)).toBe(properties['StatusCode']);
      expect(problem.request_id).toBe('$context.requestId');
      const slug = String(problem.type).split('/docs/problems/')[1];
      expect(Object.keys(PROBLEM_TYPES)).toContain(slug);
      const headers = headersOf(properties);
      expect(headers['Content-Type']).toBe("'application/problem+json'");
      expect(headers).toMatchObject({
        'X-Content-Type-Options': "'nosniff'",
        'Strict-Transport-Security': expect.stringMatching(/^'max-age=\d{8,}'$/),
        'Referrer-Policy': "'no-referrer'",
        'Content-Security-Policy': "'default-src; frame-ancestors'",
        'Cache-Control': "'no-store'",
      });
      expect(Object.keys(headers).join()).not.toContain('Access-Control');
    }
  });

  it('has WWW-Authenticate on every 401 and Retry-After on every 429', () => {
    for (const { properties } of findResponses('AWS::ApiGateway::GatewayResponse')) {
      const headers = headersOf(properties);
      expect(headers['WWW-Authenticate'] === "'Bearer'").toBe(properties['StatusCode'] === '401');
      if (properties['StatusCode'] === '429') expect(headers['Retry-After']).toMatch(/^'\d+'$/);
    }
  });

  function findResponses(type: string): readonly Resource[] {
    return ofType(type).filter(({ properties }) => text(properties['RestApiId']) === `<${id}>`);
  }
});

describe('V1 and V2', () => {
  const variables = ofType('AWS::ApiGateway::Stage').map(
    ({ properties }) => properties['Variables'],
  );

  it("have stage variables with their name and URL; V1 also has V2's URL", () => {
    const v1 = variables.find((stage) => valueAtPath(stage, 'deployment') === 'v1');
    const v2 = variables.find((stage) => valueAtPath(stage, 'deployment') === 'v2');
    expect(text(valueAtPath(v1, 'base_url'))).toMatch(
      /^https:\/\/<ApiV1\w+>\.execute-api\..+\/live$/,
    );
    expect(text(valueAtPath(v2, 'base_url'))).toMatch(
      /^https:\/\/<ApiV2\w+>\.execute-api\..+\/live$/,
    );
    expect(text(valueAtPath(v1, 'v2_url'))).toBe(text(valueAtPath(v2, 'base_url')));
    expect(Object.keys(v2 as object).sort()).toEqual(['base_url', 'deployment']);
  });

  it('have the same routes', () => {
    const [one, two] = apis.map(({ id }) =>
      methods
        .filter(({ api }) => api === `<${id}>`)
        .map(({ route, method }) => [
          route,
          text(valueAtPath(method.properties, 'Integration', 'Uri')),
        ])
        .sort(),
    );
    expect(one).toEqual(two);
    expect(one?.length).toBeGreaterThan(10);
  });
});

function pathOf(reference: string): string {
  const properties = paths.get(reference.replace(/[<>]/g, ''));
  if (properties === undefined) return '/';
  const parent = pathOf(text(properties['ParentId']));
  return `${parent === '/' ? '' : parent}/${text(properties['PathPart'])}`;
}

function headersOf(properties: Resource['properties']): Record<string, string> {
  return Object.fromEntries(
    Object.entries((properties['ResponseParameters'] ?? {}) as object).map(([name, value]) => [
      name.replace('gatewayresponse.header.', ''),
      String(value),
    ]),
  );
}

describe('the role with which the APIs call functions', () => {
  it.each(['dev', 'prod'] as const)('may only call functions that routes lead to: %s', (stage) => {
    const { ofType, text } = synthesise(stage);
    const integrations = ofType('AWS::ApiGateway::Method').map(({ properties }) =>
      valueAtPath(properties, 'Integration'),
    );
    const [role] = ofType('AWS::IAM::Role').filter(({ id }) => /^ApiCallerRole/.test(id));
    const authorizers = ofType('AWS::ApiGateway::Authorizer').map(({ properties }) => properties);
    const credentials = [
      ...integrations.map((one) => valueAtPath(one, 'Credentials')),
      ...authorizers.map((one) => one['AuthorizerCredentials']),
    ];
    expect(new Set(credentials.map(text))).toEqual(new Set([`<${role?.id}.Arn>`]));
    const uris = [
      ...integrations.map((one) => valueAtPath(one, 'Uri')),
      ...authorizers.map((one) => one['AuthorizerUri']),
    ];
    const reached = uris.map((value) => {
      const uri = text(value);
      const [, id = ''] = /functions\/<(\w+)(?:\.Arn)?>\/invocations$/.exec(uri) ?? [];
      return id;
    });
    const [statement] = toList(role?.properties['Policies']).flatMap((policy) =>
      toList(valueAtPath(policy, 'PolicyDocument', 'Statement')),
    );
    expect(valueAtPath(statement, 'Action')).toBe('lambda:InvokeFunction');
    const allowed = toList(valueAtPath(statement, 'Resource')).map(text);
    expect([...allowed].sort()).toEqual([...new Set(reached)].map((id) => `<${id}.Arn>`).sort());
    expect(allowed.length).toBeGreaterThanOrEqual(5);
  });
});
