import type { FaultPlan } from './faults.ts';
import type { Outage } from './outages.ts';

/** What a world is like before the fault. */
export interface Course {
  readonly name: string;
  /** Answers of the client's receiver, the last for ever. */
  readonly answers: readonly number[];
  /** Faults that belong to the course: they give other steps something to repair. */
  readonly faults: readonly FaultPlan[];
  /** What jobs may fail with in it, if a fault comes before or after the course's own. */
  readonly mayFailWith?: readonly string[];
  /** Batches that the client posts, one behind the other, of which one runs at a time; absent = 1. */
  readonly batches?: number;
  /** What the client asks for of each batch, when all is done. */
  readonly afterwards?: 'api/functions/redeliver' | 'api/functions/retry-batch';
  /** Nobody tells the reconciler of a run's end: it has to find out. */
  readonly untold?: boolean;
  readonly outage?: Outage;
}

const fault = (step: string, call: string, kind: FaultPlan['fault']): FaultPlan => ({
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

const lostAtLast = fault('pipeline/finish-batch', 'batches.read', 'stopped');

/**
 * What a batch may go through before the fault of a case: together they call every port there is,
 * those for repairs too.
 */
export const COURSES: readonly Course[] = [
  { name: 'nothing else goes wrong', answers: [200], faults: [] },
  {
    name: 'the start was lost',
    answers: [200],
    faults: [fault('api/functions/create-batch', 'runner.start', 'throws before')],
  },
  { name: 'another batch waits for its turn', answers: [200], faults: [], batches: 2 },
  {
    name: 'another batch never came to the line',
    answers: [200],
    faults: [fault('api/functions/create-batch', 'batchQueue.enqueue', 'throws before')],
    batches: 2,
  },
  {
    name: 'the run was lost, and nobody was told',
    answers: [200],
    faults: [runLost],
    untold: true,
  },
  {
    name: 'the run was lost four times, and nobody was told',
    answers: [200],
    faults: [runLost, runLost, runLost, runLost],
    untold: true,
  },
  {
    name: 'the run was lost before its last step, and nobody was told',
    answers: [200],
    faults: [lostAtLast],
    untold: true,
  },
  { name: 'the run was lost', answers: [200], faults: [runLost] },
  {
    name: 'the run was lost four times',
    answers: [200],
    faults: [runLost, runLost, runLost, runLost],
  },
  { name: 'the run was lost before its last step', answers: [200], faults: [lostAtLast] },
  {
    name: 'the first delivery was never timed',
    answers: [200],
    faults: [fault('pipeline/finish-batch', 'timer.schedule', 'throws before')],
  },
  { name: 'the receiver fails twice', answers: [503, 503, 200], faults: [] },
  { name: 'the receiver fails for good', answers: [503], faults: [] },
  {
    name: 'the client cancels',
    answers: [200],
    faults: [fault('pipeline/predict-patch-batch', 'patchBatches.complete', 'cancelled meanwhile')],
    mayFailWith: ['cancelled'],
  },
  {
    name: 'the client cancels while a raster is written',
    answers: [200],
    faults: [cancelledWhileWriting],
    mayFailWith: ['cancelled'],
  },
  {
    name: 'the client cancels when a raster is there',
    answers: [200],
    faults: [fault('pipeline/assemble-raster', 'jobs.complete', 'cancelled meanwhile')],
    mayFailWith: ['cancelled'],
  },
  {
    name: 'the client cancels, and the raster is left to the reconciler',
    answers: [200],
    faults: [
      cancelledWhileWriting,
      fault('api/functions/cancel-batch', 'rasters.abort', 'down for long'),
    ],
    mayFailWith: ['cancelled'],
  },
  {
    name: 'a job whose raster is there can’t be finished for long',
    answers: [200],
    faults: [
      fault('pipeline/assemble-raster', 'jobs.complete', 'down for long'),
      fault('pipeline/finish-job', 'jobs.complete', 'down for long'),
    ],
    mayFailWith: ['internal'],
  },
  {
    name: 'the client asks for the delivery again',
    answers: [400, 200],
    faults: [],
    afterwards: 'api/functions/redeliver',
  },
  {
    name: 'the client retries what failed',
    answers: [200],
    faults: [],
    afterwards: 'api/functions/retry-batch',
  },
];
