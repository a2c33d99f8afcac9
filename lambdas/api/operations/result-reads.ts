import type { OperationOf } from '../http/handle.ts';
import { type ResultItemPorts, resultItemOperation } from './job/result-item.ts';
import { type ResultPreviewPorts, resultPreviewOperation } from './job/result-preview.ts';
import { type BatchResultsPorts, batchResultsOperation } from './results/batch-results.ts';
import type { ServedBy } from './table.ts';

export type ResultReadPorts = ResultPreviewPorts & ResultItemPorts & BatchResultsPorts;

/** The operations of the function `result-reads`, the only one behind the API that reads rasters. */
export const RESULT_READS = {
  'batch-results': batchResultsOperation,
  'result-item': resultItemOperation,
  'result-preview': resultPreviewOperation,
} as const satisfies Readonly<Record<ServedBy<'result-reads'>, OperationOf<ResultReadPorts>>>;
