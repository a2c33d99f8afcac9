import type { TenantQuotaPorts } from '../../domain/admission/quota.ts';
import type { ListBatchesPorts } from '../../domain/batch/list-batches.ts';
import type { ReadDeliveriesPorts } from '../../domain/delivery/read-deliveries.ts';
import type { ReadPatchBatchPorts } from '../../domain/patch-batch/read-patch-batch.ts';
import type { CursorKey } from '../contract/cursor-key.ts';
import type { OperationOf } from '../http/handle.ts';
import { listBatchesOperation } from './batch/list-batches.ts';
import { patchBatchStatusOperation } from './job/patch-batch-status.ts';
import type { ServedBy } from './table.ts';
import { type LimitsPorts, limitsOperation } from './tenant/limits.ts';
import { modelStyleOperation } from './tenant/model-style.ts';
import { type ModelsPorts, modelsOperation } from './tenant/models.ts';
import { usageOperation } from './tenant/usage.ts';
import { batchDeliveriesOperation } from './webhook/deliveries.ts';

export type ReadPorts = TenantQuotaPorts &
  ListBatchesPorts &
  ReadPatchBatchPorts &
  ReadDeliveriesPorts &
  LimitsPorts &
  ModelsPorts &
  CursorKey;

/** The operations of the function `reads`. They only read, and sign no URL. */
export const READS = {
  'list-batches': listBatchesOperation,
  'patch-batch-status': patchBatchStatusOperation,
  'batch-deliveries': batchDeliveriesOperation,
  usage: usageOperation,
  limits: limitsOperation,
  models: modelsOperation,
  'model-style': modelStyleOperation,
} as const satisfies Readonly<Record<ServedBy<'reads'>, OperationOf<ReadPorts>>>;
