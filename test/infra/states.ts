import {
  isObject,
  type Json,
  type JsonObject,
  toList,
  toTexts,
  valueAtPath,
} from '../../local/json.ts';
import { synthesise } from '../support/infra/synthesised.ts';

const { ofType, text } = synthesise('prod');

export const [machine] = ofType('AWS::StepFunctions::StateMachine');
export const definition = JSON.parse(text(machine?.properties['DefinitionString'])) as JsonObject;
export const jobBody = valueAtPath(definition, 'States', 'ForEachJob', 'ItemProcessor');
export const shareBody = valueAtPath(jobBody, 'States', 'ForEachShare', 'ItemProcessor');

type Named = readonly [name: string, state: JsonObject];

export function errorsRetriedBy(state: JsonObject): readonly string[] {
  return retriersOf(state).flatMap((retrier) => toTexts(valueAtPath(retrier, 'ErrorEquals')));
}

/** Returns a state's retriers, without those that exclude errors from later retriers (no attempts). */
export function retriersOf(state: JsonObject): readonly Json[] {
  return toList(state['Retry']).filter((retrier) => valueAtPath(retrier, 'MaxAttempts') !== 0);
}

/** Lists the fields that the states of a body add to their input. It leaves out the bodies of Map states. */
export function listMembers(body: Json | undefined): readonly string[] {
  const states = valueAtPath(body, 'States');
  return Object.values(isObject(states) ? states : {}).flatMap((state) => [
    ...(valueAtPath(state, 'Type') === 'Pass' ? namesOf(valueAtPath(state, 'Parameters')) : []),
    ...namesOf(valueAtPath(state, 'Parameters', 'Payload')),
    ...namesOf(valueAtPath(state, 'ItemSelector')),
    ...[state, ...toList(valueAtPath(state, 'Catch'))].flatMap((way) => {
      const path = valueAtPath(way, 'ResultPath');
      return typeof path === 'string' ? [path.slice('$.'.length)] : [];
    }),
  ]);
}

/** The states that a body enters if there are no errors. Assumes that the body has no choice. */
export function listStatesOnWay(body: Json | undefined): readonly string[] {
  const from = (name: Json | undefined): readonly string[] =>
    typeof name === 'string' ? [name, ...from(valueAtPath(body, 'States', name, 'Next'))] : [];
  return from(valueAtPath(body, 'StartAt'));
}

export function namesOf(json: Json | undefined): readonly string[] {
  return isObject(json) ? Object.keys(json).map((name) => name.replace(/\.\$$/, '')) : [];
}

export function functionOf(state: JsonObject): string {
  return String(valueAtPath(state, 'Parameters', 'FunctionName'));
}

export function listStates(body: Json | undefined): readonly Named[] {
  const states = valueAtPath(body, 'States');
  if (!isObject(states)) return [];
  return Object.entries(states).flatMap(([name, state]) =>
    isObject(state) ? [[name, state] as const, ...listStates(state['ItemProcessor'])] : [],
  );
}

/** The final states of a body, without those in the bodies of its Map states. */
export function lastOf(body: Json | undefined): readonly Named[] {
  const states = valueAtPath(body, 'States');
  if (!isObject(states)) return [];
  return Object.entries(states).flatMap(([name, state]) =>
    isObject(state) && state['End'] === true ? [[name, state] as const] : [],
  );
}
