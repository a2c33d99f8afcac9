import { asTransientFailure } from '../lambdas/adapters/service-failure.ts';
import { isObject, type Json, type JsonObject, toList, toTexts, valueAtPath } from './json.ts';

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

/** Converts an error that a function threw to the error that Step Functions makes of it. */
export function toTaskFailure(error: unknown): unknown {
  const named = asTransientFailure(error);
  if (!(named instanceof Error)) return error;
  const { name, message } = named;
  const cause = { errorType: name, errorMessage: message };
  return new TaskFailure({ Error: name, Cause: JSON.stringify(cause) });
}

/** The execution was stopped. No Catch handles this error. */
export class ExecutionStopped extends Error {
  override readonly name = 'ExecutionStopped';
}

export interface MachineWorld {
  /**
   * Invokes the function of a task.
   * @param fn the function's name in the definition
   * @returns its result
   * @throws TaskFailure or ExecutionStopped
   */
  task(fn: string, payload: JsonObject): Promise<JsonObject>;
  /** Waits before a retry; null if nothing is retried. */
  readonly wait: ((seconds: number) => Promise<void>) | null;
}

/**
 * Interprets a definition in the Amazon States Language (https://states-language.net/spec.html), with Retry and Catch.
 * A Map runs its items one after another, a Parallel has one branch, and waits have no jitter, so that every run is the
 * same.
 * @throws TaskFailure or ExecutionStopped
 */
export async function runStateMachine(
  definition: Json,
  input: JsonObject,
  world: MachineWorld,
): Promise<void> {
  await runBody(definition, input, world);
}

async function runBody(body: Json | undefined, input: Json, world: MachineWorld): Promise<Json> {
  let name = String(valueAtPath(body, 'StartAt'));
  let data = input;
  while (true) {
    const state = valueAtPath(body, 'States', name);
    if (!isObject(state)) throw new Error(`no state ${name}`);
    const { next, output } = await runState(state, data, world);
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

async function runState(state: JsonObject, input: Json, world: MachineWorld): Promise<StateResult> {
  try {
    const result = await withRetries(state, world, () => computeResult(state, input, world));
    const selected =
      state['ResultSelector'] === undefined
        ? result
        : fillTemplate(state['ResultSelector'], result);
    const merged = putAtPath(state['ResultPath'], input, selected);
    const next = state['End'] === true ? null : chooseNextState(state, input);
    return { next, output: state['OutputPath'] === null ? {} : merged };
  } catch (failure) {
    if (!(failure instanceof TaskFailure)) throw failure;
    const catcher = toList(state['Catch']).find((rule) =>
      doesMatchError(rule, failure.error.Error),
    );
    if (catcher === undefined) throw failure;
    const output = putAtPath(valueAtPath(catcher, 'ResultPath'), input, { ...failure.error });
    return { next: String(valueAtPath(catcher, 'Next')), output };
  }
}

/** Chooses the state of the first rule that holds. The rules compare values, or test whether a field is present. */
function chooseNextState(state: JsonObject, input: Json): string {
  if (state['Type'] !== 'Choice') return String(state['Next']);
  const rule = toList(state['Choices']).find((one) => {
    const path = String(valueAtPath(one, 'Variable'));
    if (valueAtPath(one, 'IsPresent') === true) return findValueAt(path, input) !== undefined;
    const expected = valueAtPath(one, 'NumericEquals') ?? valueAtPath(one, 'BooleanEquals');
    return requireValueAt(path, input) === expected;
  });
  return String(rule === undefined ? state['Default'] : valueAtPath(rule, 'Next'));
}

async function computeResult(state: JsonObject, input: Json, world: MachineWorld): Promise<Json> {
  switch (state['Type']) {
    case 'Choice':
      return input;
    case 'Pass':
      return state['Parameters'] === undefined ? input : fillTemplate(state['Parameters'], input);
    case 'Task': {
      const payload = fillTemplate(valueAtPath(state, 'Parameters', 'Payload'), input);
      if (!isObject(payload)) throw new Error('a Task state must have a payload');
      return {
        Payload: await world.task(
          String(valueAtPath(state, 'Parameters', 'FunctionName')),
          payload,
        ),
      };
    }
    case 'Map':
      return runMap(state, input, world);
    case 'Parallel': {
      const [branch, ...others] = toList(state['Branches']);
      if (branch === undefined || others.length > 0)
        throw new Error('a Parallel state must have exactly one branch');
      return [await runBody(branch, fillTemplate(state['Parameters'], input), world)];
    }
    default:
      throw new Error(`states of type ${String(state['Type'])} are not supported`);
  }
}

async function runMap(state: JsonObject, input: Json, world: MachineWorld): Promise<Json> {
  const tolerant = state['ToleratedFailurePercentage'] === 100;
  const results: Json[] = [];
  for (const item of toList(requireValueAt(String(state['ItemsPath']), input))) {
    const selected = fillTemplate(state['ItemSelector'], input, item);
    try {
      results.push(await runBody(state['ItemProcessor'], selected, world));
    } catch (failure) {
      if (!tolerant || !(failure instanceof TaskFailure)) throw failure;
    }
  }
  return results;
}

async function withRetries(
  state: JsonObject,
  world: MachineWorld,
  work: () => Promise<Json>,
): Promise<Json> {
  const used = new Map<Json, number>();
  while (true) {
    try {
      return await work();
    } catch (failure) {
      if (world.wait === null || !(failure instanceof TaskFailure)) throw failure;
      const retrier = toList(state['Retry']).find((rule) =>
        doesMatchError(rule, failure.error.Error),
      );
      if (retrier === undefined) throw failure;
      const before = used.get(retrier) ?? 0;
      if (before >= Number(valueAtPath(retrier, 'MaxAttempts') ?? 3)) throw failure;
      used.set(retrier, before + 1);
      await world.wait(computeDelay(retrier, before));
    }
  }
}

function computeDelay(retrier: Json, before: number): number {
  const seconds =
    Number(valueAtPath(retrier, 'IntervalSeconds') ?? 1) *
    Number(valueAtPath(retrier, 'BackoffRate') ?? 2) ** before;
  return Math.min(seconds, Number(valueAtPath(retrier, 'MaxDelaySeconds') ?? seconds));
}

function doesMatchError(rule: Json, error: string): boolean {
  const names = toTexts(valueAtPath(rule, 'ErrorEquals'));
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

/** Fills in a payload template, in which `item` is `$$.Map.Item.Value`. */
function fillTemplate(template: Json | undefined, input: Json, item?: Json): Json {
  if (!isObject(template)) return template ?? input;
  return Object.fromEntries(
    Object.entries(template).map(([name, value]) => {
      if (!name.endsWith('.$')) return [name, fillTemplate(value, input, item)];
      return [name.slice(0, -'.$'.length), evaluateExpression(String(value), input, item)];
    }),
  );
}

function evaluateExpression(expression: string, input: Json, item: Json | undefined): Json {
  if (expression === '$$.Map.Item.Value') return item ?? null;
  const range = RANGE.exec(expression);
  if (range === null) return requireValueAt(expression, input);
  const [, first = '', last = ''] = range;
  const end = Number(requireValueAt(last, input));
  return Array.from({ length: end - Number(first) + 1 }, (_, i) => Number(first) + i);
}

function findValueAt(path: string, data: Json): Json | undefined {
  return path === '$' ? data : valueAtPath(data, ...path.slice('$.'.length).split('.'));
}

function requireValueAt(path: string, data: Json): Json {
  const value = findValueAt(path, data);
  if (value === undefined) throw new TaskFailure({ Error: 'States.Runtime', Cause: path });
  return value;
}
