import type { Operation, OperationOf } from './handle.ts';

/** Builds each operation of a group. */
export function builtWith<Name extends string, Ports>(
  group: Readonly<Record<Name, OperationOf<Ports>>>,
  ports: Ports,
): Readonly<Record<Name, Operation>> {
  const entries = Object.entries<OperationOf<Ports>>(group);
  const built = entries.map(([name, operationOf]) => [name, operationOf(ports)] as const);
  return Object.fromEntries(built) as Readonly<Record<Name, Operation>>;
}
