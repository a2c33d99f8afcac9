import type { StepName } from './steps.ts';
import type { CallName } from './world-ports.ts';

/** Faults at a call of a step that end the call or the process. */
const FAILURES = [
  /** The call fails and has no effect. */
  'throws before',
  /** The call has its effect, but the response is lost. */
  'throws after',
  /** The response is lost and the SDK retries: two effects, and the second response is returned. */
  'sent twice',
  /** The call fails for ten minutes, longer than a job's step is retried. */
  'down for long',
  'killed before',
  'killed after',
  /** The call takes longer than the function's timeout. */
  'timed out',
] as const;

/** Faults at a call of a step that are caused elsewhere, or that run the step again. */
const INTERFERENCES = [
  /** The execution is stopped, and no Catch handles that. */
  'stopped',
  /** The deployment that the execution started with is rolled back, so that its functions are gone from here on. */
  'rolled back',
  /** A second invocation of the step runs from start to end before the call. */
  'run twice',
  /** The client cancels the batch before the call. */
  'cancelled meanwhile',
  /** The client requests a retry before the call. Only a final batch accepts retries. */
  'retried meanwhile',
  /** The caller gives up at the timeout, but the invocation continues after everything else has ended. */
  'resumed later',
] as const;
export type Fault = (typeof FAILURES)[number] | (typeof INTERFERENCES)[number];

const STEP_FAULTS = [
  /** Two invocations of the step run concurrently from their first call. */
  'run concurrently',
  /** Every invocation of the step is repeated after everything has ended. */
  'repeated at the end',
] as const;
type StepFault = (typeof STEP_FAULTS)[number];

/** Faults that a walk injects: each call fault at every call, and each step fault once per step. */
export interface FaultKinds {
  readonly ofCalls: readonly Fault[];
  readonly ofSteps: readonly StepFault[];
}

/** Two parts of all faults, so that two test files walk concurrently. */
export const WHAT_FAILS: FaultKinds = { ofCalls: FAILURES, ofSteps: [] };
export const WHAT_INTERFERES: FaultKinds = { ofCalls: INTERFERENCES, ofSteps: STEP_FAULTS };
export const EVERY_FAULT: FaultKinds = {
  ofCalls: [...FAILURES, ...INTERFERENCES],
  ofSteps: STEP_FAULTS,
};

export interface FaultPlan {
  readonly step: StepName;
  /** The call, such as `jobs.complete`; for a fault of a whole step, the step's first call. */
  readonly call: CallName;
  /** The occurrence of the call, counted from 0 within one invocation of the step. */
  readonly occurrence: number;
  readonly fault: Fault | StepFault;
}

/** The error that the SDK throws when its retries are exhausted. */
export class ServiceDown extends Error {
  override readonly name = 'TimeoutError';
}
