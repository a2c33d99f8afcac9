import type { Described } from '../operations/described.ts';
import type { Operation } from './handle.ts';

/** Builds each operation of a group. */
export function builtWith<Name extends string, Ports>(
  group: Readonly<Record<Name, Described<Ports>>>,
  ports: Ports,
): Readonly<Record<Name, Operation>> {
  const entries = Object.entries<Described<Ports>>(group);
  const built = entries.map(([name, { operation }]) => [name, operation(ports)] as const);
  return Object.fromEntries(built) as Readonly<Record<Name, Operation>>;
}
