import { CfnElement, type Stack } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import { at, isObject, type Json, type JsonObject, listOf, textsOf } from '../infra/json.ts';
import { synthesise } from '../infra/synthesised.ts';

/** An error as Step Functions passes it to a Catch. */
export interface TaskError {
  readonly Error: string;
  readonly Cause: string;
}

export class TaskFailure extends Error {
  override readonly name = 'TaskFailure';
  readonly error: TaskError;

  constructor(error: TaskError) {
    super(`${error.Error}: ${error.Cause}`);
    this.error = error;
  }
}

/** The execution was stopped: no Catch applies. */
export class ExecutionStopped extends Error {
  override readonly name = 'ExecutionStopped';
}

export interface Machine {
  /** The handler's file of each task state. */
  readonly tasks: ReadonlyMap<string, string>;
  /** The timeout of the handler's function. */
  timeoutSeconds(handler: string): number;
  /** Runs an execution to its end; @throws TaskFailure or ExecutionStopped */
  run(input: JsonObject, world: MachineWorld): Promise<void>;
}

export interface MachineWorld {
  /** @returns the handler's result; @throws TaskFailure or ExecutionStopped */
  task(handler: string, payload: JsonObject): Promise<JsonObject>;
  wait(seconds: number): Promise<void>;
}

/**
 * Interprets the deployed definition by the Amazon States Language
 * (https://states-language.net/spec.html), with Retry and Catch. A Map runs one item after another, a Parallel
 * one branch, and waits have no jitter, so every run is the same.
 */
export function synthesisedMachine(): Machine {
  const { ofType, text, functions } = synthesise('prod');
  const [machine] = ofType('AWS::StepFunctions::StateMachine');
  const definition = JSON.parse(text(machine?.properties['DefinitionString'])) as JsonObject;
  const versions = new Map(
    ofType('AWS::Lambda::Version').map(({ id, properties }) => [
      `<${id}>`,
      text(properties['FunctionName']),
    ]),
  );
  const handlers = new Map(functions.map((fn) => [`<${logicalIdOf(fn)}>`, fn.handlerFile]));
  const handlerOf = (state: JsonObject): string => {
    const version = String(at(state, 'Parameters', 'FunctionName'));
    const handler = handlers.get(versions.get(version) ?? '');
    if (handler === undefined) throw new Error(`${version} is no version of a function`);
    return handler;
  };
  return {
    tasks: new Map(tasksWithin(definition).map(([name, state]) => [name, handlerOf(state)])),
    timeoutSeconds: (handler) => {
      const fn = functions.find(({ handlerFile }) => handlerFile === handler);
      if (fn?.timeout === undefined) throw new Error(`${handler} has no function with a timeout`);
      return fn.timeout.toSeconds();
    },
    run: async (input, world) => {
      await runBody(definition, input, { world, handlerOf });
    },
  };
}

function logicalIdOf(fn: Construct & { readonly stack: Stack }): string {
  const resource = fn.node.defaultChild;
  if (!(resource instanceof CfnElement)) throw new Error(`${fn.node.path} is no resource`);
  return fn.stack.resolve(resource.logicalId);
}

interface Run {
  readonly world: MachineWorld;
  readonly handlerOf: (state: JsonObject) => string;
}

async function runBody(body: Json | undefined, input: Json, run: Run): Promise<Json> {
  let name = String(at(body, 'StartAt'));
  let data = input;
  while (true) {
    const state = at(body, 'States', name);
    if (!isObject(state)) throw new Error(`no state ${name}`);
    const { next, output } = await runState(state, data, run);
    if (next === null) return output;
    name = next;
    data = output;
  }
}

interface StateResult {
  /** Null at the end of the body. */
  readonly next: string | null;
  readonly output: Json;
}

async function runState(state: JsonObject, input: Json, run: Run): Promise<StateResult> {
  try {
    const result = await withRetries(state, run, () => resultOf(state, input, run));
    const selected =
      state['ResultSelector'] === undefined
        ? result
        : fillTemplate(state['ResultSelector'], result);
    const merged = putAtPath(state['ResultPath'], input, selected);
    const next = state['End'] === true ? null : nextOf(state, input);
    return { next, output: state['OutputPath'] === null ? {} : merged };
  } catch (failure) {
    if (!(failure instanceof TaskFailure)) throw failure;
    const catcher = listOf(state['Catch']).find((one) => isFor(one, failure.error.Error));
    if (catcher === undefined) throw failure;
    const output = putAtPath(at(catcher, 'ResultPath'), input, { ...failure.error });
    return { next: String(at(catcher, 'Next')), output };
  }
}

/** Of a Choice, the state of the first rule that holds; the rules compare numbers. */
function nextOf(state: JsonObject, input: Json): string {
  if (state['Type'] !== 'Choice') return String(state['Next']);
  const rule = listOf(state['Choices']).find(
    (one) => valueAt(String(at(one, 'Variable')), input) === at(one, 'NumericEquals'),
  );
  return String(rule === undefined ? state['Default'] : at(rule, 'Next'));
}

async function resultOf(state: JsonObject, input: Json, run: Run): Promise<Json> {
  switch (state['Type']) {
    case 'Choice':
      return input;
    case 'Pass':
      return state['Parameters'] === undefined ? input : fillTemplate(state['Parameters'], input);
    case 'Task': {
      const payload = fillTemplate(at(state, 'Parameters', 'Payload'), input);
      if (!isObject(payload)) throw new Error('a task without a payload');
      return { Payload: await run.world.task(run.handlerOf(state), payload) };
    }
    case 'Map':
      return runMap(state, input, run);
    case 'Parallel': {
      const [branch, ...others] = listOf(state['Branches']);
      if (branch === undefined || others.length > 0) throw new Error('not exactly one branch');
      return [await runBody(branch, fillTemplate(state['Parameters'], input), run)];
    }
    default:
      throw new Error(`states of type ${String(state['Type'])} are not supported`);
  }
}

async function runMap(state: JsonObject, input: Json, run: Run): Promise<Json> {
  const tolerant = state['ToleratedFailurePercentage'] === 100;
  const results: Json[] = [];
  for (const item of listOf(valueAt(String(state['ItemsPath']), input))) {
    const selected = fillTemplate(state['ItemSelector'], input, item);
    try {
      results.push(await runBody(state['ItemProcessor'], selected, run));
    } catch (failure) {
      if (!tolerant || !(failure instanceof TaskFailure)) throw failure;
    }
  }
  return results;
}

async function withRetries(state: JsonObject, run: Run, work: () => Promise<Json>): Promise<Json> {
  const used = new Map<Json, number>();
  while (true) {
    try {
      return await work();
    } catch (failure) {
      if (!(failure instanceof TaskFailure)) throw failure;
      const retrier = listOf(state['Retry']).find((one) => isFor(one, failure.error.Error));
      if (retrier === undefined) throw failure;
      const before = used.get(retrier) ?? 0;
      if (before >= Number(at(retrier, 'MaxAttempts') ?? 3)) throw failure;
      used.set(retrier, before + 1);
      await run.world.wait(delayOf(retrier, before));
    }
  }
}

function delayOf(retrier: Json, before: number): number {
  const seconds =
    Number(at(retrier, 'IntervalSeconds') ?? 1) * Number(at(retrier, 'BackoffRate') ?? 2) ** before;
  return Math.min(seconds, Number(at(retrier, 'MaxDelaySeconds') ?? seconds));
}

function isFor(rule: Json, error: string): boolean {
  const names = textsOf(at(rule, 'ErrorEquals'));
  return (
    names.includes(error) ||
    names.includes('States.ALL') ||
    (names.includes('States.TaskFailed') && error !== 'States.Timeout')
  );
}

function putAtPath(path: Json | undefined, input: Json, result: Json): Json {
  if (path === null) return input;
  if (path === undefined || path === '$') return result;
  return { ...(isObject(input) ? input : {}), [String(path).slice('$.'.length)]: result };
}

const RANGE = /^States\.ArrayRange\((\d+), (\$\.[\w.]+), 1\)$/;

/** Fills in a payload template; `item` is `$$.Map.Item.Value`. */
function fillTemplate(template: Json | undefined, input: Json, item?: Json): Json {
  if (!isObject(template)) return template ?? input;
  return Object.fromEntries(
    Object.entries(template).map(([name, value]) => {
      if (!name.endsWith('.$')) return [name, fillTemplate(value, input, item)];
      return [name.slice(0, -'.$'.length), evaluated(String(value), input, item)];
    }),
  );
}

function evaluated(expression: string, input: Json, item: Json | undefined): Json {
  if (expression === '$$.Map.Item.Value') return item ?? null;
  const range = RANGE.exec(expression);
  if (range === null) return valueAt(expression, input);
  const [, first = '', last = ''] = range;
  const end = Number(valueAt(last, input));
  return Array.from({ length: end - Number(first) + 1 }, (_, i) => Number(first) + i);
}

function valueAt(path: string, data: Json): Json {
  const value = path === '$' ? data : at(data, ...path.slice('$.'.length).split('.'));
  if (value === undefined) throw new TaskFailure({ Error: 'States.Runtime', Cause: path });
  return value;
}

function tasksWithin(body: Json | undefined): readonly (readonly [string, JsonObject])[] {
  const states = at(body, 'States');
  if (!isObject(states)) return [];
  return Object.entries(states).flatMap(([name, state]) => {
    if (!isObject(state)) return [];
    const own = state['Type'] === 'Task' ? [[name, state] as const] : [];
    const bodies = [state['ItemProcessor'], ...listOf(state['Branches'] ?? [])];
    return [...own, ...bodies.flatMap(tasksWithin)];
  });
}
