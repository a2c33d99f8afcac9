import type { Operation } from '../http/handle.ts';
import type { OperationSpecification } from '../specification/operation.ts';

/** An operation with what the OpenAPI document says of it. */
export interface Described<Ports> {
  readonly specification: OperationSpecification;
  readonly operation: (ports: Ports) => Operation;
}
