import type { Operation } from './handle.ts';

/** Operations by name, each built from the ports it needs. */
export type Builders = Readonly<Record<string, (ports: never) => Operation>>;

/** The ports that all operations of a group need. */
export type PortsOf<Group extends Builders> = {
  [Name in keyof Group]: Group[Name] extends (ports: infer Ports) => Operation
    ? (ports: Ports) => void
    : never;
}[keyof Group] extends (ports: infer Ports) => void
  ? Ports
  : never;

/** Builds each operation of a group. */
export function builtWith<Group extends Builders>(
  group: Group,
  ports: PortsOf<Group>,
): Readonly<Record<keyof Group, Operation>> {
  const built = Object.entries(group).map(([name, build]) => [name, build(ports as never)]);
  return Object.fromEntries(built) as Readonly<Record<keyof Group, Operation>>;
}
