import type { FaultPlan } from './faults.ts';
import type { Outage } from './outages.ts';
import { RUN_ENDED } from './steps.ts';

/** What happens in a simulated world, apart from the one fault that a test case adds. */
export interface Scenario {
  readonly name: string;
  /** Status codes of the client's receiver, in order; the last one repeats. */
  readonly statusCodes: readonly number[];
  /** Faults that are part of the scenario and give other steps something to repair. */
  readonly faults: readonly FaultPlan[];
  /** Error codes that jobs may end with if another fault occurs before or after these faults. */
  readonly mayFailWith?: readonly string[];
  /** The number of batches that the client creates. The batches run one after another. @default 1 */
  readonly batches?: number;
  /** Whether the batches have only the first of the usual jobs, which then runs without a distributed map. @default false */
  readonly onlyJob?: boolean;
  /** Whether the client cancels the last batch before it has begun to run. @default false */
  readonly cancelsLast?: boolean;
  readonly copied?: boolean;
  /** An operation that the client calls on each batch after it has ended. */
  readonly afterwards?:
    | 'api/functions/batches: redeliver'
    | 'api/functions/creations: retry'
    | 'api/functions/creations: copy';
  /** Whether EventBridge's events about ended executions are lost, so that the reconciler's scan must find them. */
  readonly endEventsLost?: boolean;
  readonly outage?: Outage;
}

const fault = (
  step: FaultPlan['step'],
  call: FaultPlan['call'],
  kind: FaultPlan['fault'],
): FaultPlan => ({
  step,
  call,
  occurrence: 0,
  fault: kind,
});

const cancelledWhileWriting = fault(
  'pipeline/assemble-raster',
  'rasters.begin.complete',
  'cancelled meanwhile',
);

const runLost = fault('pipeline/predict-patch-batch', 'patchBatches.complete', 'stopped');

const lostBeforeFinish = fault('pipeline/finish-batch', 'batches.readBatch', 'stopped');

/** Together the scenarios reach every step. */
export const SCENARIOS: readonly Scenario[] = [
  { name: 'nothing else goes wrong', statusCodes: [200], faults: [] },
  { name: 'the batch has one job', statusCodes: [200], faults: [], onlyJob: true },
  { name: 'the results are copied', statusCodes: [200], faults: [], copied: true },
  {
    name: 'the last copy was lost, and the client requests it',
    statusCodes: [200],
    faults: [fault('pipeline/copy-results', 'copies.recordCompletion', 'stopped')],
    copied: true,
    afterwards: 'api/functions/creations: copy',
  },
  {
    name: 'the start of the execution was lost',
    statusCodes: [200],
    faults: [fault('api/functions/creations', 'runner.start', 'throws before')],
  },
  { name: 'another batch waits for a slot', statusCodes: [200], faults: [], batches: 2 },
  {
    name: 'another batch was never enqueued',
    statusCodes: [200],
    faults: [fault('api/functions/creations', 'batchQueue.enqueue', 'throws before')],
    batches: 2,
  },
  {
    name: 'the execution and its end event were lost',
    statusCodes: [200],
    faults: [runLost],
    endEventsLost: true,
  },
  {
    name: 'the execution was lost four times, without end events',
    statusCodes: [200],
    faults: [runLost, runLost, runLost, runLost],
    endEventsLost: true,
  },
  {
    name: 'the execution was lost before its last step, without an end event',
    statusCodes: [200],
    faults: [lostBeforeFinish],
    endEventsLost: true,
  },
  { name: 'the execution was lost', statusCodes: [200], faults: [runLost] },
  {
    name: 'the execution was lost four times',
    statusCodes: [200],
    faults: [runLost, runLost, runLost, runLost],
  },
  {
    name: 'the execution was lost before its last step',
    statusCodes: [200],
    faults: [lostBeforeFinish],
  },
  {
    name: 'the first delivery was never queued',
    statusCodes: [200],
    faults: [fault('pipeline/finish-batch', 'deliveryQueue.enqueue', 'throws before')],
  },
  { name: 'the receiver fails twice', statusCodes: [503, 503, 200], faults: [] },
  { name: 'the receiver always fails', statusCodes: [503], faults: [] },
  {
    name: 'the client cancels',
    statusCodes: [200],
    faults: [fault('pipeline/predict-patch-batch', 'patchBatches.complete', 'cancelled meanwhile')],
    mayFailWith: ['cancelled'],
  },
  {
    name: 'the client cancels while a raster is written',
    statusCodes: [200],
    faults: [cancelledWhileWriting],
    mayFailWith: ['cancelled'],
  },
  {
    name: 'the client cancels after a raster is complete',
    statusCodes: [200],
    faults: [fault('pipeline/assemble-raster', 'jobs.complete', 'cancelled meanwhile')],
    mayFailWith: ['cancelled'],
  },
  {
    name: 'the client cancels, and the reconciler must remove the raster',
    statusCodes: [200],
    faults: [cancelledWhileWriting, fault(RUN_ENDED, 'rasters.abort', 'down for long')],
    mayFailWith: ['cancelled'],
  },
  {
    name: 'the client cancels, and the end event is lost',
    statusCodes: [200],
    faults: [fault('pipeline/predict-patch-batch', 'patchBatches.complete', 'cancelled meanwhile')],
    mayFailWith: ['cancelled'],
    endEventsLost: true,
  },
  {
    name: 'the client cancels a batch that waits for a slot',
    statusCodes: [200],
    faults: [],
    batches: 2,
    cancelsLast: true,
    mayFailWith: ['cancelled'],
  },
  {
    name: 'the client cancels a batch whose start was lost',
    statusCodes: [200],
    faults: [fault('api/functions/creations', 'runner.start', 'throws before')],
    cancelsLast: true,
    mayFailWith: ['cancelled'],
  },
  {
    name: 'a job with a complete raster cannot be finished for ten minutes',
    statusCodes: [200],
    faults: [
      fault('pipeline/assemble-raster', 'jobs.complete', 'down for long'),
      fault('pipeline/finish-job', 'jobs.complete', 'down for long'),
    ],
    mayFailWith: ['internal'],
  },
  {
    name: 'the client requests a redelivery',
    statusCodes: [400, 200],
    faults: [],
    afterwards: 'api/functions/batches: redeliver',
  },
  {
    name: 'the client retries the failed jobs',
    statusCodes: [200],
    faults: [],
    afterwards: 'api/functions/creations: retry',
  },
];
