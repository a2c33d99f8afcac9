import { namingTransient } from '../../lambdas/adapters/service-failure.ts';
import type { JsonObject } from '../infra/json.ts';
import type { Course } from './courses.ts';
import { type Execution, Executions } from './executions.ts';
import { faulty, type Gate } from './fault-port.ts';
import { type FaultPlan, ServiceDown } from './faults.ts';
import { Invocation, lambdaError, never } from './invocation.ts';
import { Observer } from './observer.ts';
import { Outages, serviceOf } from './outages.ts';
import { Queue } from './queue.ts';
import { RememberingReceiver } from './receiver.ts';
import { Results } from './results.ts';
import { ExecutionStopped, type Machine, TaskFailure } from './state-machine.ts';
import type { StepInput } from './step-input.ts';
import { handlerOf, RUN_ENDED, STEPS } from './steps.ts';
import { type Storage, type WatchedStorage, watched } from './storage.ts';
import type { VirtualTime } from './time.ts';
import { type WorldPorts, worldPorts } from './world-ports.ts';

/** A call of a port, as a place where a fault can strike. */
export type Place = Pick<FaultPlan, 'step' | 'call' | 'occurrence'>;

const CALL_MS = 5;
const LONG_MS = 600_000;
const CANCEL_TRIES = 3;
const READS = /(^|\.)(read\w*|list|range|exists|entries|polygon|state|find|use|decrypt|sign|next)$/;

/** One deployment, its time, and the faults that strike in it. */
export class World {
  readonly time: VirtualTime;
  readonly storage: WatchedStorage;
  readonly queue: Queue;
  readonly executions = new Executions();
  readonly receiver: RememberingReceiver;
  readonly results = new Results();
  readonly observer: Observer;
  /** Every place that a call went through, in order. */
  readonly places: Place[] = [];
  /** Every run of every step, in order. */
  readonly runs: { readonly step: string; readonly input: StepInput }[] = [];
  readonly outages: Outages;
  readonly tenant = 'farm';
  /** Faults that struck. */
  readonly struck: FaultPlan[] = [];
  private readonly ports: WorldPorts;
  private readonly plans: FaultPlan[];
  private readonly machine: Machine;
  private readonly sleepers: (() => Promise<void>)[] = [];
  private down: { readonly step: string; readonly call: string; readonly until: number } | null =
    null;
  private nextMinute: number;
  private readonly untold: boolean;

  /** @param storage nobody else's, at the world's own time */
  constructor(
    machine: Machine,
    time: VirtualTime,
    storage: Storage,
    course: Course,
    plan?: FaultPlan,
  ) {
    this.time = time;
    this.machine = machine;
    this.storage = watched(storage);
    this.queue = new Queue(this.time);
    this.receiver = new RememberingReceiver(course.answers);
    this.observer = new Observer(this.storage);
    this.outages = new Outages(course.outage);
    this.untold = course.untold ?? false;
    this.plans = [...course.faults, ...(plan === undefined ? [] : [plan])];
    this.ports = worldPorts(this);
    this.nextMinute = this.time.now() + 60_000;
  }

  /** Runs a step as Lambda does. @throws what the step throws, or what its end looks like outside */
  async invoke(step: string, input: Partial<StepInput>): Promise<object> {
    const run = STEPS[step];
    if (run === undefined) throw new Error(`${step} is no step of the table`);
    if (this.outages.isDown('Lambda', this.time.now())) {
      throw lambdaError('Lambda.ServiceException', 'Service unavailable');
    }
    const timeoutMs = this.machine.timeoutSeconds(handlerOf(step)) * 1_000;
    const whole = { ...input, deadline: new Date(this.time.now() + timeoutMs) } as StepInput;
    this.runs.push({ step, input: whole });
    const invocation = new Invocation(step, whole);
    return invocation.outcomeOf(run(faulty(this.ports, this.gateOf(invocation)), whole));
  }

  /** Runs one execution to its end. */
  async execute(execution: Execution): Promise<void> {
    execution.state = 'running';
    const input = { batch_id: execution.batchId, last_job_index: execution.totalJobs - 1 };
    try {
      await this.machine.run(input, {
        task: (handler, payload) => this.task(execution, handler, payload),
        wait: (seconds) => this.passes(seconds),
      });
    } catch (error) {
      if (!(error instanceof TaskFailure || error instanceof ExecutionStopped)) throw error;
    } finally {
      execution.state = 'ended';
    }
    await this.tell(execution);
  }

  /** Lets time pass, and with it whatever a clock or a queue sets off. */
  async passes(seconds: number): Promise<void> {
    const end = this.time.now() + seconds * 1_000;
    while (true) {
      const next = Math.min(end, this.nextMinute, this.queue.nextAt() ?? Number.POSITIVE_INFINITY);
      this.time.reaches(next);
      if (this.time.now() >= this.nextMinute) {
        this.nextMinute = this.time.now() + 60_000;
        if (!this.outages.isDown('EventBridge', this.time.now())) {
          await this.invoke('reconcile/reconcile', {}).catch(() => undefined);
        }
      }
      while (
        await this.queue.receive((message, redelivered) => this.deliver(message, redelivered))
      );
      if (this.time.now() >= end) return;
    }
  }

  /** EventBridge tells the reconciler that a run has ended. */
  private async tell({ batchId }: Execution): Promise<void> {
    if (this.untold || this.outages.isDown('EventBridge', this.time.now())) return;
    await this.invoke(RUN_ENDED, { batch_id: batchId }).catch(() => undefined);
  }

  /** Wakes up whatever hangs since its fault, and waits for its end. */
  async wakeSleepers(): Promise<number> {
    const woken = this.sleepers.splice(0);
    for (const wake of woken) await wake();
    return woken.length;
  }

  /** Runs once more, without an answer to anybody. */
  async again({ step, input }: { readonly step: string; readonly input: StepInput }) {
    await this.invoke(step, input).catch(() => undefined);
  }

  /** The client's cancellation, sent until it is answered. */
  private async cancel(batch_id: string): Promise<void> {
    for (let tried = 0; tried < CANCEL_TRIES; tried++) {
      const asked = this.invoke('api/functions/cancel-batch', { tenant: this.tenant, batch_id });
      const answered = await asked.then(
        () => true,
        () => false,
      );
      if (answered) return;
    }
  }

  private async deliver(message: StepInput['message'], redelivered: boolean): Promise<void> {
    await this.invoke('webhooks/deliver-webhook', { message, redelivered });
  }

  private async task(execution: Execution, step: string, payload: JsonObject) {
    if (execution.stopped) throw new ExecutionStopped(execution.name);
    try {
      const input: object = { error: null, ...payload };
      const answer = await this.invoke(step, input);
      if (execution.stopped) throw new ExecutionStopped(execution.name);
      return answer as JsonObject;
    } catch (error) {
      if (error instanceof TaskFailure || error instanceof ExecutionStopped) throw error;
      throw taskFailure(error);
    }
  }

  private gateOf(invocation: Invocation): Gate {
    return async (call, effect) => {
      if (invocation.dead) return never();
      const { step, counts } = invocation;
      const occurrence = counts.get(call) ?? 0;
      counts.set(call, occurrence + 1);
      this.places.push({ step, call, occurrence });
      this.time.passes(CALL_MS);
      const observed = async () => {
        const answer = await effect();
        if (!READS.test(call)) await this.observer.look();
        return answer;
      };
      if (this.isDown(step, call)) throw new ServiceDown(`${call} is down`);
      const service = serviceOf(call);
      if (service !== null && this.outages.isDown(service, this.time.now())) {
        throw this.outages.error(service);
      }
      const plan = this.takePlan({ step, call, occurrence });
      return plan === null ? observed() : this.strike(plan, invocation, observed);
    };
  }

  private isDown(step: string, call: string): boolean {
    return this.down?.step === step && this.down.call === call && this.time.now() < this.down.until;
  }

  private takePlan({ step, call, occurrence }: Place): FaultPlan | null {
    const index = this.plans.findIndex(
      (plan) => plan.step === step && plan.call === call && plan.occurrence === occurrence,
    );
    const [plan = null] = index < 0 ? [] : this.plans.splice(index, 1);
    if (plan !== null) this.struck.push(plan);
    return plan;
  }

  private async strike(
    plan: FaultPlan,
    invocation: Invocation,
    effect: () => Promise<unknown>,
  ): Promise<unknown> {
    const { step, call } = plan;
    switch (plan.fault) {
      case 'throws before':
        throw new ServiceDown(call);
      case 'throws after':
        await effect();
        throw new ServiceDown(call);
      case 'sent twice':
        await effect();
        return effect();
      case 'down for long':
        this.down = { step, call, until: this.time.now() + LONG_MS };
        throw new ServiceDown(call);
      case 'killed before':
        return invocation.kill(lambdaError('Lambda.Unknown', 'signal: killed'));
      case 'killed after':
        await effect();
        return invocation.kill(lambdaError('Lambda.Unknown', 'signal: killed'));
      case 'out of time':
        await effect();
        this.time.reaches(invocation.input.deadline.getTime());
        return invocation.kill(lambdaError('Sandbox.Timedout', 'Task timed out'));
      case 'stopped':
        for (const execution of this.executions.all.values()) {
          if (execution.state === 'running') execution.stopped = true;
        }
        return invocation.kill(new ExecutionStopped(call));
      case 'twice at once':
        await this.again(invocation);
        return effect();
      case 'cancelled meanwhile':
        await this.cancel(invocation.input.batch_id);
        return effect();
      case 'retried meanwhile': {
        const { batch_id } = invocation.input;
        const retrying = { tenant: this.tenant, batch_id };
        await this.invoke('api/functions/retry-batch', retrying).catch(() => undefined);
        return effect();
      }
      case 'side by side': {
        const other = this.again(invocation);
        this.sleepers.push(() => other);
        return effect();
      }
      case 'goes on later': {
        this.time.reaches(invocation.input.deadline.getTime());
        invocation.giveUp(lambdaError('States.Timeout', 'no answer'));
        await new Promise<void>((wake) => {
          this.sleepers.push(async () => {
            wake();
            await invocation.ended();
          });
        });
        return effect();
      }
      case 'again at the end':
        return effect();
    }
  }
}

/** As Step Functions tells of what a function threw. */
function taskFailure(error: unknown): unknown {
  const named = namingTransient(error);
  if (!(named instanceof Error)) return error;
  const { name, message } = named;
  const cause = { errorType: name, errorMessage: message };
  return new TaskFailure({ Error: name, Cause: JSON.stringify(cause) });
}
