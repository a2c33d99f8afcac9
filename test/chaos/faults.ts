/** What may happen to a step at one of its calls. */
export const FAULTS = [
  /** The service refuses: nothing is done. */
  'throws before',
  /** It is done, but the answer is lost. */
  'throws after',
  /** The answer is lost and the SDK sends it again: it is done twice, and the second answer counts. */
  'sent twice',
  /** Refused for ten minutes: longer than a step of a job is retried. */
  'down for long',
  /** The process ends before the call, and tells nobody. */
  'killed before',
  /** The process ends after the call, and tells nobody. */
  'killed after',
  /** The call takes longer than the step may. */
  'out of time',
  /** The execution is stopped here, past any catch. */
  'stopped',
  /** While the step stands here, it is run once more from its start to its end. */
  'twice at once',
  /** While the step stands here, the client cancels the batch. */
  'cancelled meanwhile',
  /** While the step stands here, the client asks for a retry: only of a final batch there is one. */
  'retried meanwhile',
  /** Counts as dead here, wakes up when everything else has ended, and goes on. */
  'goes on later',
] as const;
export type Fault = (typeof FAULTS)[number];

/** Of a whole step, whatever it calls. */
export const STEP_FAULTS = [
  /** Two runs of the step from their first call on, side by side. */
  'side by side',
  /** Every run of the step is made again when everything has ended. */
  'again at the end',
] as const;
export type StepFault = (typeof STEP_FAULTS)[number];

/** One fault at one place. */
export interface FaultPlan {
  /** A handler's file, see `steps.ts`. */
  readonly step: string;
  /** `jobs.complete`; the first call of a step when the fault is of the whole step. */
  readonly call: string;
  /** Counted from 0 in one run of the step. */
  readonly occurrence: number;
  readonly fault: Fault | StepFault;
}

/** An error of a service, as the SDK throws it when its own retries are used up. */
export class ServiceDown extends Error {
  override readonly name = 'TimeoutError';
}
