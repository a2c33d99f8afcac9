import type { Route } from '../definitions/definition.ts';

/** Methods of the path, or null when no operation has it. A trailing slash is ignored. */
export function methodsOf(routes: readonly Route[], path: string): readonly string[] | null {
  const segments = segmentsOf(path);
  const methods = routes
    .filter((route) => fits(segmentsOf(route.path), segments))
    .flatMap(({ method }) => (method === 'GET' ? ['GET', 'HEAD'] : [method]))
    .sort();
  return methods.length === 0 ? null : methods;
}

/** The operation at a resource of the gateway (`/v1/batch/{batch_id}/status`). */
export function operationAt<Operation extends Route>(
  operations: readonly Operation[],
  resource: string,
  method: string,
): Operation | undefined {
  const defined = method === 'HEAD' ? 'GET' : method;
  return operations.find(
    (operation) => operation.path === resource && operation.method === defined,
  );
}

function segmentsOf(path: string): readonly string[] {
  return path.replace(/^\/|\/$/g, '').split('/');
}

function fits(template: readonly string[], segments: readonly string[]): boolean {
  return (
    template.length === segments.length &&
    template.every((part, index) =>
      part.startsWith('{') ? segments[index] !== '' : part === segments[index],
    )
  );
}

/** The parameters of a path: `batch_id` of `/v1/batch/{batch_id}/status`. */
type ParameterOf<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? Name | ParameterOf<Rest>
  : never;

/** The path of an operation, relative to the base URL. */
export function pathOf<Path extends string>(
  { path }: { readonly path: Path },
  parameters: Readonly<Record<ParameterOf<Path>, string>>,
): string {
  const values: Readonly<Record<string, string>> = parameters;
  return path.replace(/\{(\w+)\}/g, (_, name: string) => values[name] ?? '');
}
