import { type NamedRun, parseRunName } from '../../../lambdas/domain/identity.ts';
import type { JsonObject } from '../../../local/json.ts';
import { ExecutionStopped, TaskFailure, toTaskFailure } from '../../../local/state-machine.ts';
import { type Execution, Executions } from './executions.ts';
import { type Gate, withFaults } from './fault-port.ts';
import { type FaultPlan, ServiceDown } from './faults.ts';
import { Invocation, lambdaError, neverResolve } from './invocation.ts';
import { Observer } from './observer.ts';
import { findService, Outages } from './outages.ts';
import { Queue } from './queue.ts';
import { RecordingBus } from './recording-bus.ts';
import { RecordingReceiver } from './recording-receiver.ts';
import { Results } from './results.ts';
import type { Scenario } from './scenarios.ts';
import type { StepInput } from './step-input.ts';
import { findHandler, RUN_ENDED, requireStep, STEPS, type StepName } from './steps.ts';
import { type ObservedStorage, observeStorage, type Storage } from './storage.ts';
import type { Machine } from './synthesised-machine.ts';
import type { VirtualTime } from './time.ts';
import { type CallName, type WorldPorts, worldPorts } from './world-ports.ts';

/** A call of a port at which a fault can be injected. */
export type CallSite = Pick<FaultPlan, 'step' | 'call' | 'occurrence'>;

const CALL_MS = 5;
const LONG_MS = 600_000;
const CANCEL_ATTEMPTS = 3;
/** Ports whose calls can change what the observer reads, except the calls that match {@link READS}. */
const OBSERVED: readonly (keyof WorldPorts)[] = [
  'batches',
  'jobs',
  'patchBatches',
  'outbox',
  'slots',
];
const READS = /\.(read\w*|list)$/;

export class World {
  readonly time: VirtualTime;
  readonly storage: ObservedStorage;
  readonly queue: Queue;
  readonly executions = new Executions();
  readonly receiver: RecordingReceiver;
  readonly results = new Results();
  readonly bus = new RecordingBus();
  readonly observer: Observer;
  /** Every call so far, in order. */
  readonly callSites: CallSite[] = [];
  readonly invocations: { readonly step: StepName; readonly input: StepInput }[] = [];
  readonly outages: Outages;
  readonly tenant = 'farm';
  readonly injected: FaultPlan[] = [];
  readonly ports: WorldPorts;
  private readonly plans: FaultPlan[];
  private readonly machine: Machine;
  private readonly suspended: (() => Promise<void>)[] = [];
  private down: (Pick<FaultPlan, 'step' | 'call'> & { readonly until: number }) | null = null;
  private nextMinute: number;
  private readonly endEventsLost: boolean;

  /** @param storage a storage with the same clock that no other world uses */
  constructor(
    machine: Machine,
    time: VirtualTime,
    storage: Storage,
    scenario: Scenario,
    plan?: FaultPlan,
  ) {
    this.time = time;
    this.machine = machine;
    this.storage = observeStorage(storage);
    this.queue = new Queue(this.time);
    this.receiver = new RecordingReceiver(scenario.statusCodes);
    this.observer = new Observer(this.storage);
    this.outages = new Outages(scenario.outage);
    this.endEventsLost = scenario.endEventsLost ?? false;
    this.plans = [...scenario.faults, ...(plan === undefined ? [] : [plan])];
    this.ports = worldPorts(this);
    this.nextMinute = this.time.now() + 60_000;
  }

  /** Invokes a step like Lambda. @throws the step's error, or that of a fault */
  async invoke(step: StepName, input: Partial<StepInput>): Promise<object> {
    if (this.outages.isDown('Lambda', this.time.now())) {
      throw lambdaError('Lambda.ServiceException', 'Service unavailable');
    }
    const timeoutMs = this.machine.timeoutSeconds(findHandler(step)) * 1_000;
    const whole = { ...input, deadline: new Date(this.time.now() + timeoutMs) } as StepInput;
    this.invocations.push({ step, input: whole });
    const invocation = new Invocation(step, whole);
    return invocation.settle(STEPS[step](withFaults(this.ports, this.gateOf(invocation)), whole));
  }

  async execute(execution: Execution): Promise<void> {
    execution.state = 'running';
    try {
      await this.machine.run(execution.input, {
        task: (handler, payload) => this.task(execution, handler, payload),
        wait: (seconds) => this.advance(seconds),
      });
    } catch (error) {
      if (!(error instanceof TaskFailure || error instanceof ExecutionStopped)) throw error;
    } finally {
      execution.state = 'ended';
    }
    await this.sendEndEvent(execution);
  }

  /** Advances the clock, and runs what the schedule and the queue trigger in that time. */
  async advance(seconds: number): Promise<void> {
    const end = this.time.now() + seconds * 1_000;
    while (true) {
      const next = Math.min(end, this.nextMinute, this.queue.nextAt() ?? Number.POSITIVE_INFINITY);
      this.time.advanceTo(next);
      if (this.time.now() >= this.nextMinute) {
        this.nextMinute = this.time.now() + 60_000;
        if (!this.outages.isDown('EventBridge', this.time.now())) {
          await this.invoke('reconcile/reconcile', {}).catch(() => undefined);
        }
      }
      while (
        await this.queue.receive((message, receivedBefore) => this.deliver(message, receivedBefore))
      );
      if (this.time.now() >= end) return;
    }
  }

  /** EventBridge invokes the reconciler when an execution has ended. */
  private async sendEndEvent({ name }: Execution): Promise<void> {
    if (this.endEventsLost || this.outages.isDown('EventBridge', this.time.now())) return;
    const run = parseRunName(name) as NamedRun;
    await this.invoke(RUN_ENDED, { batch_id: run.batchId, run }).catch(() => undefined);
  }

  /** Resumes the suspended invocations and waits until they end. */
  async resumeSuspended(): Promise<number> {
    const resumed = this.suspended.splice(0);
    for (const resume of resumed) await resume();
    return resumed.length;
  }

  async repeat({ step, input }: { readonly step: StepName; readonly input: StepInput }) {
    await this.invoke(step, input).catch(() => undefined);
  }

  async cancel(batch_id: string): Promise<void> {
    for (let attempt = 0; attempt < CANCEL_ATTEMPTS; attempt++) {
      const cancelling = this.invoke('api/functions/batches: cancel', {
        tenant: this.tenant,
        batch_id,
      });
      const succeeded = await cancelling.then(
        () => true,
        () => false,
      );
      if (succeeded) return;
    }
  }

  private async deliver(message: StepInput['message'], receivedBefore: boolean): Promise<void> {
    await this.invoke('webhooks/deliver-webhook', { message, receivedBefore });
  }

  private async task(execution: Execution, step: string, payload: JsonObject) {
    if (execution.stopped) throw new ExecutionStopped(execution.name);
    if (execution.rolledBack) {
      throw lambdaError('Lambda.ResourceNotFoundException', 'Function not found');
    }
    try {
      const input: object = { error: null, ...payload };
      const result = await this.invoke(requireStep(step), input);
      if (execution.stopped) throw new ExecutionStopped(execution.name);
      return result as JsonObject;
    } catch (error) {
      if (error instanceof TaskFailure || error instanceof ExecutionStopped) throw error;
      throw toTaskFailure(error);
    }
  }

  private gateOf(invocation: Invocation): Gate {
    return async (name, effect) => {
      const call = name as CallName;
      if (invocation.dead) return neverResolve();
      const { step, counts } = invocation;
      const occurrence = counts.get(call) ?? 0;
      counts.set(call, occurrence + 1);
      this.callSites.push({ step, call, occurrence });
      this.time.advance(CALL_MS);
      const observed = async () => {
        const result = await effect();
        if (OBSERVED.some((port) => call.startsWith(`${port}.`)) && !READS.test(call))
          await this.observer.check();
        return result;
      };
      if (this.isDown(step, call)) throw new ServiceDown(`${call} is down`);
      const service = findService(call);
      if (service !== null && this.outages.isDown(service, this.time.now())) {
        throw this.outages.error(service);
      }
      const plan = this.takePlan({ step, call, occurrence });
      return plan === null ? observed() : this.inject(plan, invocation, observed);
    };
  }

  private isDown(step: StepName, call: CallName): boolean {
    return this.down?.step === step && this.down.call === call && this.time.now() < this.down.until;
  }

  private takePlan({ step, call, occurrence }: CallSite): FaultPlan | null {
    const index = this.plans.findIndex(
      (plan) => plan.step === step && plan.call === call && plan.occurrence === occurrence,
    );
    const [plan = null] = index < 0 ? [] : this.plans.splice(index, 1);
    if (plan !== null) this.injected.push(plan);
    return plan;
  }

  private async inject(
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
      case 'timed out':
        await effect();
        this.time.advanceTo(invocation.input.deadline.getTime());
        return invocation.kill(lambdaError('Sandbox.Timedout', 'Task timed out'));
      case 'stopped':
        for (const execution of this.executions.all.values()) {
          if (execution.state === 'running') execution.stopped = true;
        }
        return invocation.kill(new ExecutionStopped(call));
      case 'rolled back':
        for (const execution of this.executions.all.values()) {
          if (execution.state === 'running') execution.rolledBack = true;
        }
        return effect();
      case 'run twice':
        await this.repeat(invocation);
        return effect();
      case 'cancelled meanwhile':
        await this.cancel(invocation.input.batch_id);
        return effect();
      case 'retried meanwhile': {
        const { batch_id } = invocation.input;
        const retrying = { tenant: this.tenant, batch_id };
        await this.invoke('api/functions/creations: retry', retrying).catch(() => undefined);
        return effect();
      }
      case 'run concurrently': {
        const other = this.repeat(invocation);
        this.suspended.push(() => other);
        return effect();
      }
      case 'resumed later': {
        this.time.advanceTo(invocation.input.deadline.getTime());
        invocation.giveUp(lambdaError('States.Timeout', 'timed out'));
        await new Promise<void>((resume) => {
          this.suspended.push(async () => {
            resume();
            await invocation.ended();
          });
        });
        return effect();
      }
      case 'repeated at the end':
        return effect();
    }
  }
}
