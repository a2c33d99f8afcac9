/** Where the service can be deployed to; `local` is the emulator. */
export const STAGES = ['local', 'dev', 'prod'] as const;
export type StageName = (typeof STAGES)[number];

/** The two stacks of a stage, as CloudFormation and `cdk deploy` know them. */
export function stackNames(stage: StageName): {
  readonly stateful: string;
  readonly stateless: string;
} {
  return { stateful: `SoilBatch-${stage}-Stateful`, stateless: `SoilBatch-${stage}-Stateless` };
}

/** The one stage of each REST API, the first step of its default address's path. */
export const API_STAGE = 'live';
