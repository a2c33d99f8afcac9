import type { Operation } from '../http/handle.ts';
import type { OperationSpecification } from '../specification/operation.ts';

/** An operation and its description in the OpenAPI document. */
export interface Described<Ports> {
  readonly specification: OperationSpecification;
  readonly operation: (ports: Ports) => Operation;
}
