import { TaskFailure } from '../../../local/state-machine.ts';
import type { StepInput } from './step-input.ts';
import type { StepName } from './steps.ts';

export class Invocation {
  readonly step: StepName;
  readonly input: StepInput;
  /** By name. */
  readonly counts = new Map<string, number>();
  dead = false;
  private running: Promise<object> | undefined;
  private readonly death: Promise<never>;
  private end: (error: Error) => void = () => undefined;

  constructor(step: StepName, input: StepInput) {
    this.step = step;
    this.input = input;
    this.death = new Promise<never>((_, reject) => {
      this.end = reject;
    });
    this.death.catch(() => undefined);
  }

  /** Returns the outcome for the caller: the step's result or error, or the error of a fault. */
  settle(running: Promise<object>): Promise<object> {
    running.catch(() => undefined);
    this.running = running;
    return Promise.race([running, this.death]);
  }

  /** Gives the caller the error, while the invocation continues. */
  giveUp(error: Error): void {
    this.end(error);
  }

  /** Gives the caller the error; the invocation never continues. */
  kill(error: Error): Promise<never> {
    this.dead = true;
    this.end(error);
    return neverResolve();
  }

  /** Resolves when the step itself has returned or thrown. */
  async ended(): Promise<void> {
    await this.running?.catch(() => undefined);
  }
}

export function neverResolve(): Promise<never> {
  return new Promise(() => undefined);
}

/** Returns the error that a state machine gets for a function that did not return. */
export function lambdaError(name: string, message: string): TaskFailure {
  return new TaskFailure({ Error: name, Cause: JSON.stringify({ errorMessage: message }) });
}
