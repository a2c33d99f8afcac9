import { CfnElement, type Stack } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import { isObject, type Json, type JsonObject, toList, valueAtPath } from '../../../local/json.ts';
import { type MachineWorld, runStateMachine } from '../../../local/state-machine.ts';
import { synthesise } from '../infra/synthesised.ts';

export interface Machine {
  /** The handler files of the task states. */
  readonly tasks: ReadonlySet<string>;
  timeoutSeconds(handler: string): number;
  /**
   * Runs an execution to its end. The world's tasks are named after their handlers' files.
   * @throws TaskFailure or ExecutionStopped
   */
  run(input: JsonObject, world: MachineWorld): Promise<void>;
}

export function synthesiseMachine(): Machine {
  const { ofType, text, functions } = synthesise('prod');
  const [machine] = ofType('AWS::StepFunctions::StateMachine');
  const definition = JSON.parse(text(machine?.properties['DefinitionString'])) as JsonObject;
  const versions = new Map(
    ofType('AWS::Lambda::Version').map(({ id, properties }) => [
      `<${id}>`,
      text(properties['FunctionName']),
    ]),
  );
  const handlers = new Map(functions.map((fn) => [`<${resolveLogicalId(fn)}>`, fn.handlerFile]));
  const requireHandler = (version: string): string => {
    const handler = handlers.get(versions.get(version) ?? '');
    if (handler === undefined) throw new Error(`${version} is not a version of a function`);
    return handler;
  };
  return {
    tasks: new Set(listVersions(definition).map(requireHandler)),
    timeoutSeconds: (handler) => {
      const fn = functions.find(({ handlerFile }) => handlerFile === handler);
      if (fn?.timeout === undefined) throw new Error(`${handler} has no function with a timeout`);
      return fn.timeout.toSeconds();
    },
    run: (input, world) =>
      runStateMachine(definition, input, {
        ...world,
        task: (version, payload) => world.task(requireHandler(version), payload),
      }),
  };
}

function resolveLogicalId(fn: Construct & { readonly stack: Stack }): string {
  const resource = fn.node.defaultChild;
  if (!(resource instanceof CfnElement)) throw new Error(`${fn.node.path} is not a resource`);
  return fn.stack.resolve(resource.logicalId);
}

/** Lists the function versions that the task states of a body invoke. */
function listVersions(body: Json | undefined): readonly string[] {
  const states = valueAtPath(body, 'States');
  return Object.values(isObject(states) ? states : {}).flatMap((state) => [
    ...(valueAtPath(state, 'Type') === 'Task'
      ? [String(valueAtPath(state, 'Parameters', 'FunctionName'))]
      : []),
    ...[valueAtPath(state, 'ItemProcessor'), ...toList(valueAtPath(state, 'Branches'))].flatMap(
      listVersions,
    ),
  ]);
}
