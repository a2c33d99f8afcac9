import type { TenantQuotaPorts } from '../../domain/admission/tenant-quota.ts';
import type { ListBatchesPorts } from '../../domain/batch/list-batches.ts';
import type { ReadDeliveriesPorts } from '../../domain/delivery/read-deliveries.ts';
import type { ReadPatchBatchPorts } from '../../domain/patch-batch/read-patch-batch.ts';
import type { CursorKey } from '../contract/cursor-key.ts';
import { listBatchesOperation, listBatchesSpecification } from './batch/list-batches.ts';
import type { Described } from './described.ts';
import {
  patchBatchStatusOperation,
  patchBatchStatusSpecification,
} from './job/patch-batch-status.ts';
import type { ServedBy } from './table.ts';
import { type LimitsPorts, limitsOperation, limitsSpecification } from './tenant/limits.ts';
import { modelStyleOperation, modelStyleSpecification } from './tenant/model-style.ts';
import { type ModelsPorts, modelsOperation, modelsSpecification } from './tenant/models.ts';
import { usageOperation, usageSpecification } from './tenant/usage.ts';
import { batchDeliveriesOperation, batchDeliveriesSpecification } from './webhook/deliveries.ts';

export type ReadPorts = TenantQuotaPorts &
  ListBatchesPorts &
  ReadPatchBatchPorts &
  ReadDeliveriesPorts &
  LimitsPorts &
  ModelsPorts &
  CursorKey;

/** The operations of the function `reads`. They only read, and sign no URL. */
export const READS = {
  'list-batches': { operation: listBatchesOperation, specification: listBatchesSpecification },
  'patch-batch-status': {
    operation: patchBatchStatusOperation,
    specification: patchBatchStatusSpecification,
  },
  'batch-deliveries': {
    operation: batchDeliveriesOperation,
    specification: batchDeliveriesSpecification,
  },
  usage: { operation: usageOperation, specification: usageSpecification },
  limits: { operation: limitsOperation, specification: limitsSpecification },
  models: { operation: modelsOperation, specification: modelsSpecification },
  'model-style': { operation: modelStyleOperation, specification: modelStyleSpecification },
} as const satisfies Readonly<Record<ServedBy<'reads'>, Described<ReadPorts>>>;
