import { describe, expect, it } from 'vitest';
import { listMethods, routeAt } from '../../../lambdas/api/http/routing.ts';
import { NAMED_ROUTES } from '../../../lambdas/api/routes.ts';

const filled = (path: string) => path.replace(/\{(\w+)\}/g, 'a-$1');

describe('a request is routed', () => {
  it.each(NAMED_ROUTES)('to $name by its path and method', ({ name, path, method }) => {
    const found = routeAt(NAMED_ROUTES, filled(path), method);
    expect(found?.route.name).toBe(name);
    const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, parameter = '']) => parameter);
    const expected = Object.fromEntries(names.map((parameter) => [parameter, `a-${parameter}`]));
    expect(found?.parameters).toEqual(expected);
    expect(listMethods(NAMED_ROUTES, filled(path))).toContain(method);
  });

  it('to the operation for GET when its method is HEAD', () => {
    expect(routeAt(NAMED_ROUTES, '/v1/usage', 'HEAD')?.route.name).toBe('usage');
  });

  it('with or without a slash at the end', () => {
    expect(routeAt(NAMED_ROUTES, '/v1/usage/', 'GET')?.route.name).toBe('usage');
  });

  it('to no operation whose parameter would take the name of another', () => {
    expect(routeAt(NAMED_ROUTES, '/v1/batch/estimate', 'GET')).toBeUndefined();
  });

  it('with its parameters decoded, as far as they are encoded', () => {
    const model = (text: string) =>
      routeAt(NAMED_ROUTES, `/v1/models/${text}/style.qml`, 'GET')?.parameters;
    expect(model('soc%401.0.0')).toEqual({ model: 'soc@1.0.0' });
    expect(model('100%')).toEqual({ model: '100%' });
  });

  it.each(['/v1/batch//status', '/v1/nothing', '/v1/usage/more'])('to nothing at %s', (path) => {
    expect(routeAt(NAMED_ROUTES, path, 'GET')).toBeUndefined();
    expect(listMethods(NAMED_ROUTES, path)).toBeNull();
  });

  it('to nothing with another method, of which the path has some', () => {
    expect(routeAt(NAMED_ROUTES, '/v1/usage', 'POST')).toBeUndefined();
    expect(listMethods(NAMED_ROUTES, '/v1/batch')).toEqual(['GET', 'HEAD', 'POST']);
  });
});
