import { TaskFailure } from './state-machine.ts';
import type { StepInput } from './step-input.ts';

/** One run of a step, and how a fault ends it. */
export class Invocation {
  readonly step: string;
  readonly input: StepInput;
  /** How often it has made each call so far. */
  readonly counts = new Map<string, number>();
  /** Its process is gone. */
  dead = false;
  private running: Promise<object> | undefined;
  private readonly death: Promise<never>;
  private end: (error: Error) => void = () => undefined;

  constructor(step: string, input: StepInput) {
    this.step = step;
    this.input = input;
    this.death = new Promise<never>((_, reject) => {
      this.end = reject;
    });
    this.death.catch(() => undefined);
  }

  /** What the step answers or throws, or what its end looks like to whoever called it. */
  outcomeOf(running: Promise<object>): Promise<object> {
    running.catch(() => undefined);
    this.running = running;
    return Promise.race([running, this.death]);
  }

  /** Whoever called it waits no longer; it goes on. */
  giveUp(error: Error): void {
    this.end(error);
  }

  /** Nothing of it goes on. */
  kill(error: Error): Promise<never> {
    this.dead = true;
    this.end(error);
    return never();
  }

  /** Once it has come to its own end, be it an error. */
  async ended(): Promise<void> {
    await this.running?.catch(() => undefined);
  }
}

export function never(): Promise<never> {
  return new Promise(() => undefined);
}

/** What Lambda tells the state machine of a function that did not answer. */
export function lambdaError(name: string, message: string): TaskFailure {
  return new TaskFailure({ Error: name, Cause: JSON.stringify({ errorMessage: message }) });
}
