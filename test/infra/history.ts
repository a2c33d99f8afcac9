import { isObject, type Json, type JsonObject, toList, valueAtPath } from '../../local/json.ts';

/** The number of times that a map state runs its body. */
export type Iterations = (mapState: string) => number;

/**
 * Computes the most history events that a run of a state machine's body can write: with every retry, along the
 * longest path, with one pass through a loop. Event kinds are in the `HistoryEvent` type of the Step Functions API Reference.
 */
export function countWorstHistory(body: Json | undefined, iterations: Iterations): number {
  const states = valueAtPath(body, 'States');
  const from = (name: Json | undefined, before: readonly Json[] = []): number => {
    const state = isObject(states) && typeof name === 'string' ? states[name] : undefined;
    if (!isObject(state) || typeof name !== 'string' || before.includes(name)) return 0;
    const ways = [
      state['Next'],
      ...listAlternatives(state).map((way) => valueAtPath(way, 'Next')),
      state['Default'],
    ];
    const path = [...before, name];
    const longest = Math.max(0, ...ways.map((way) => from(way, path)));
    return countOwnEvents(name, state, iterations) + longest;
  };
  return from(valueAtPath(body, 'StartAt'));
}

export function attemptsOf(state: Json | undefined): number {
  const retries = toList(valueAtPath(state, 'Retry')).map((retrier) =>
    Number(valueAtPath(retrier, 'MaxAttempts') ?? 3),
  );
  return 1 + retries.reduce((sum, attempts) => sum + attempts, 0);
}

function countOwnEvents(name: string, state: JsonObject, iterations: Iterations): number {
  const enteredAndExited = 2;
  switch (state['Type']) {
    case 'Task':
      // Each attempt has Scheduled, Started, and one of Succeeded, Failed and TimedOut.
      return enteredAndExited + 3 * attemptsOf(state);
    case 'Map': {
      const startedAndEnded = 2;
      // Each run of a distributed map's body has a separate history.
      if (valueAtPath(state, 'ItemProcessor', 'ProcessorConfig', 'Mode') === 'DISTRIBUTED') {
        return enteredAndExited + startedAndEnded + 2;
      }
      const iteration = startedAndEnded + countWorstHistory(state['ItemProcessor'], iterations);
      return enteredAndExited + startedAndEnded + iterations(name) * iteration;
    }
    case 'Parallel': {
      const startedAndEnded = 2;
      const branches = toList(state['Branches']).map((branch) =>
        countWorstHistory(branch, iterations),
      );
      return branches.reduce((sum, events) => sum + events, enteredAndExited + startedAndEnded);
    }
    default:
      return enteredAndExited;
  }
}

function listAlternatives(state: JsonObject): readonly Json[] {
  return [...toList(state['Catch']), ...toList(state['Choices'])];
}
