import { describe, expect, it } from 'vitest';
import { listMethods, routeAt } from '../../../lambdas/api/http/routing.ts';
import { NAMED_ROUTES } from '../../../lambdas/api/routes.ts';

const fillPath = (path: string) => path.replace(/\{(\w+)\}/g, 'a-$1');

describe('routing', () => {
  it.each(NAMED_ROUTES)('finds $name by path and method', ({ name, path, method }) => {
    const found = routeAt(NAMED_ROUTES, fillPath(path), method);
    expect(found?.route.name).toBe(name);
    const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, parameter = '']) => parameter);
    const expected = Object.fromEntries(names.map((parameter) => [parameter, `a-${parameter}`]));
    expect(found?.parameters).toEqual(expected);
    expect(listMethods(NAMED_ROUTES, fillPath(path))).toContain(method);
  });

  it('finds the GET operation for the method HEAD', () => {
    expect(routeAt(NAMED_ROUTES, '/v1/usage', 'HEAD')?.route.name).toBe('usage');
  });

  it('ignores a trailing slash', () => {
    expect(routeAt(NAMED_ROUTES, '/v1/usage/', 'GET')?.route.name).toBe('usage');
  });

  it('does not take the name of an operation for a parameter', () => {
    expect(routeAt(NAMED_ROUTES, '/v1/batch/estimate', 'GET')).toBeUndefined();
  });

  it('decodes encoded parameters', () => {
    const model = (text: string) =>
      routeAt(NAMED_ROUTES, `/v1/models/${text}/style.qml`, 'GET')?.parameters;
    expect(model('soc%401.0.0')).toEqual({ model: 'soc@1.0.0' });
    expect(model('100%')).toEqual({ model: '100%' });
  });

  it.each(['/v1/batch//status', '/v1/nothing', '/v1/usage/more'])('finds nothing at %s', (path) => {
    expect(routeAt(NAMED_ROUTES, path, 'GET')).toBeUndefined();
    expect(listMethods(NAMED_ROUTES, path)).toBeNull();
  });

  it('finds nothing for a method that the path does not allow', () => {
    expect(routeAt(NAMED_ROUTES, '/v1/usage', 'POST')).toBeUndefined();
    expect(listMethods(NAMED_ROUTES, '/v1/batch')).toEqual(['GET', 'HEAD', 'POST']);
  });
});
