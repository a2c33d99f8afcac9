import { CfnElement, type Stack } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import { at, isObject, type Json, type JsonObject, listOf } from '../../../local/json.ts';
import { type MachineWorld, runStateMachine } from '../../../local/state-machine.ts';
import { synthesise } from '../infra/synthesised.ts';

export interface Machine {
  /** The handlers' files of the task states. */
  readonly tasks: ReadonlySet<string>;
  /** The timeout of the handler's function. */
  timeoutSeconds(handler: string): number;
  /**
   * Runs an execution to its end; the world's tasks are named by their handlers' files.
   * @throws TaskFailure or ExecutionStopped
   */
  run(input: JsonObject, world: MachineWorld): Promise<void>;
}

/** The deployed state machine and its functions. */
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
  const handlerOf = (version: string): string => {
    const handler = handlers.get(versions.get(version) ?? '');
    if (handler === undefined) throw new Error(`${version} is no version of a function`);
    return handler;
  };
  return {
    tasks: new Set(versionsWithin(definition).map(handlerOf)),
    timeoutSeconds: (handler) => {
      const fn = functions.find(({ handlerFile }) => handlerFile === handler);
      if (fn?.timeout === undefined) throw new Error(`${handler} has no function with a timeout`);
      return fn.timeout.toSeconds();
    },
    run: (input, world) =>
      runStateMachine(definition, input, {
        ...world,
        task: (version, payload) => world.task(handlerOf(version), payload),
      }),
  };
}

function logicalIdOf(fn: Construct & { readonly stack: Stack }): string {
  const resource = fn.node.defaultChild;
  if (!(resource instanceof CfnElement)) throw new Error(`${fn.node.path} is no resource`);
  return fn.stack.resolve(resource.logicalId);
}

/** The function versions that the task states of a body invoke. */
function versionsWithin(body: Json | undefined): readonly string[] {
  const states = at(body, 'States');
  return Object.values(isObject(states) ? states : {}).flatMap((state) => [
    ...(at(state, 'Type') === 'Task' ? [String(at(state, 'Parameters', 'FunctionName'))] : []),
    ...[at(state, 'ItemProcessor'), ...listOf(at(state, 'Branches'))].flatMap(versionsWithin),
  ]);
}
