import { at, isObject, type Json, type JsonObject, listOf, textsOf } from '../../local/json.ts';
import { synthesise } from '../support/infra/synthesised.ts';

const { ofType, text } = synthesise('prod');

/** The state machine of a batch, and its definition in Amazon States Language. */
export const [machine] = ofType('AWS::StepFunctions::StateMachine');
export const definition = JSON.parse(text(machine?.properties['DefinitionString'])) as JsonObject;
export const jobBody = at(definition, 'States', 'ForEachJob', 'ItemProcessor');
export const shareBody = at(jobBody, 'States', 'ForEachShare', 'ItemProcessor');

type Named = readonly [name: string, state: JsonObject];

export function errorsRetriedBy(state: JsonObject): readonly string[] {
  return retriersOf(state).flatMap((retrier) => textsOf(at(retrier, 'ErrorEquals')));
}

/** Leaves out retriers that only exclude an error. */
export function retriersOf(state: JsonObject): readonly Json[] {
  return listOf(state['Retry']).filter((retrier) => at(retrier, 'MaxAttempts') !== 0);
}

/** Fields that the states of a body, without the maps in it, add to their input. */
export function membersWithin(body: Json | undefined): readonly string[] {
  const states = at(body, 'States');
  return Object.values(isObject(states) ? states : {}).flatMap((state) => [
    ...(at(state, 'Type') === 'Pass' ? namesOf(at(state, 'Parameters')) : []),
    ...namesOf(at(state, 'Parameters', 'Payload')),
    ...namesOf(at(state, 'ItemSelector')),
    ...[state, ...listOf(at(state, 'Catch'))].flatMap((way) => {
      const path = at(way, 'ResultPath');
      return typeof path === 'string' ? [path.slice('$.'.length)] : [];
    }),
  ]);
}

/** The states that a body enters without errors; a choice would allow several paths. */
export function wayThrough(body: Json | undefined): readonly string[] {
  const from = (name: Json | undefined): readonly string[] =>
    typeof name === 'string' ? [name, ...from(at(body, 'States', name, 'Next'))] : [];
  return from(at(body, 'StartAt'));
}

export function namesOf(json: Json | undefined): readonly string[] {
  return isObject(json) ? Object.keys(json).map((name) => name.replace(/\.\$$/, '')) : [];
}

export function functionOf(state: JsonObject): string {
  return String(at(state, 'Parameters', 'FunctionName'));
}

export function statesWithin(body: Json | undefined): readonly Named[] {
  const states = at(body, 'States');
  if (!isObject(states)) return [];
  return Object.entries(states).flatMap(([name, state]) =>
    isObject(state) ? [[name, state] as const, ...statesWithin(state['ItemProcessor'])] : [],
  );
}

/** The final states of a body, without the maps in it. */
export function lastOf(body: Json | undefined): readonly Named[] {
  const states = at(body, 'States');
  if (!isObject(states)) return [];
  return Object.entries(states).flatMap(([name, state]) =>
    isObject(state) && state['End'] === true ? [[name, state] as const] : [],
  );
}
