import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { App, type Stack } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { readStageConfig } from '../../../lib/config/each-stage.ts';
import type { StageConfig } from '../../../lib/config/stage-config.ts';
import { buildService } from '../../../lib/service.ts';
import { ServiceFunction } from '../../../lib/service-function.ts';
import type { StageName } from '../../../lib/stages.ts';
import { isObject, type Json, type JsonObject, valueAtPath } from '../../../local/json.ts';
import { type Exported, evaluateIntrinsic } from './intrinsics.ts';
import { PROD } from './prod.ts';

export interface Resource {
  readonly id: string;
  readonly type: string;
  readonly properties: JsonObject;
  /** The whole resource, including its deletion policy and dependencies. */
  readonly whole: JsonObject;
}

/** A stage's templates as `cdk synth` writes them, without the functions' code. */
export interface Synthesised {
  readonly app: App;
  readonly templates: readonly Template[];
  readonly resources: readonly Resource[];
  readonly functions: readonly ServiceFunction[];
  readonly exported: Exported;
  ofType(type: string): readonly Resource[];
  /**
   * Returns an ARN, URL or name as text, with `<LogicalId.Attribute>` for values that are known only after deployment.
   */
  text(value: Json | undefined): string;
}

const flags = JSON.parse(
  readFileSync(new URL('../../../cdk.json', import.meta.url), 'utf8'),
).context;
const known = new Map<StageName, Synthesised>();

export function synthesise(stage: StageName): Synthesised {
  const made = known.get(stage) ?? synthesiseWith(stage === 'prod' ? PROD : readStageConfig(stage));
  known.set(stage, made);
  return made;
}

export function synthesiseWith(
  config: StageConfig,
  context: Readonly<Record<string, unknown>> = {},
): Synthesised {
  const app = new App({
    outdir: mkdtempSync(join(tmpdir(), 'soil-batch-synth-')),
    // deployable.test.ts validates the templates. Functions are not bundled by default, because
    // most tests read only the templates.
    builtinCloudFormationValidation: false,
    context: { ...flags, 'aws:cdk:bundling-stacks': [], ...context },
  });
  const stacks: readonly Stack[] = buildService(app, config, '1.2.3');
  const templates = stacks.map((stack) => Template.fromStack(stack));
  const documents = templates.map((template): JsonObject => template.toJSON());
  const resources = documents.flatMap(listResources);
  const exported = new Map([
    ...documents.flatMap(listExports),
    ...listParameters(documents, resources),
  ]);
  return {
    app,
    templates,
    resources,
    functions: app.node.findAll().filter((node) => node instanceof ServiceFunction),
    ofType: (type) => resources.filter((resource) => resource.type === type),
    exported,
    text: (value) => evaluateIntrinsic(value, exported, formatReference),
  };
}

function listResources(template: JsonObject): readonly Resource[] {
  const resources = template['Resources'];
  if (!isObject(resources)) return [];
  return Object.entries(resources).flatMap(([id, whole]) => {
    if (!isObject(whole)) return [];
    const properties = whole['Properties'];
    return [
      {
        id,
        type: String(whole['Type']),
        properties: isObject(properties) ? properties : {},
        whole,
      },
    ];
  });
}

function listExports(template: JsonObject): readonly (readonly [string, Json])[] {
  const outputs = template['Outputs'];
  if (!isObject(outputs)) return [];
  return Object.values(outputs).flatMap((output) => {
    const name = valueAtPath(output, 'Export', 'Name');
    const value = valueAtPath(output, 'Value');
    return typeof name === 'string' && value !== undefined ? [[name, value] as const] : [];
  });
}

/** Lists the values of SSM parameters, by the logical ID of the template parameter that reads each. */
function listParameters(
  documents: readonly JsonObject[],
  resources: readonly Resource[],
): readonly (readonly [string, Json])[] {
  const values = new Map(
    resources
      .filter(({ type }) => type === 'AWS::SSM::Parameter')
      .map(({ properties }) => [properties['Name'], properties['Value'] ?? ''] as const),
  );
  return documents.flatMap((document) => {
    const parameters = document['Parameters'];
    return Object.entries(isObject(parameters) ? parameters : {}).flatMap(([id, parameter]) => {
      const value = values.get(valueAtPath(parameter, 'Default'));
      return value === undefined ? [] : [[id, value] as const];
    });
  });
}

function formatReference(id: string, attribute?: string): string {
  // The partition is the only pseudo parameter that is resolved.
  if (id === 'AWS::Partition') return 'aws';
  return attribute === undefined ? `<${id}>` : `<${id}.${attribute}>`;
}
