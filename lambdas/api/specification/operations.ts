import type { OperationSpecification } from './operation.ts';
import { BATCHES } from './operations/batches.ts';
import { JOBS } from './operations/jobs.ts';
import { OPEN } from './operations/open.ts';
import { TENANT } from './operations/tenant.ts';
import { WEBHOOKS } from './operations/webhooks.ts';

/** Every operation there is, in the order in which documents tell of them. */
export const OPERATIONS: readonly OperationSpecification[] = [
  ...BATCHES,
  ...JOBS,
  ...WEBHOOKS,
  ...TENANT,
  ...OPEN,
];
