import type { Described } from './described.ts';
import {
  type ResultItemPorts,
  resultItemOperation,
  resultItemSpecification,
} from './job/result-item.ts';
import {
  type ResultPreviewPorts,
  resultPreviewOperation,
  resultPreviewSpecification,
} from './job/result-preview.ts';
import {
  type BatchResultsPorts,
  batchResultsOperation,
  batchResultsSpecification,
} from './results/batch-results.ts';
import type { ServedBy } from './table.ts';

export type ResultReadPorts = ResultPreviewPorts & ResultItemPorts & BatchResultsPorts;

/** The operations of the function `result-reads`, the only one behind the API that reads rasters. */
export const RESULT_READS = {
  'batch-results': { operation: batchResultsOperation, specification: batchResultsSpecification },
  'result-item': { operation: resultItemOperation, specification: resultItemSpecification },
  'result-preview': {
    operation: resultPreviewOperation,
    specification: resultPreviewSpecification,
  },
} as const satisfies Readonly<Record<ServedBy<'result-reads'>, Described<ResultReadPorts>>>;
