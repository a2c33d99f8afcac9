/** Where the service can be deployed to; `local` is the emulator. */
export const STAGES = ['local', 'dev', 'prod'] as const;
export type StageName = (typeof STAGES)[number];

/** The stacks of a stage, as CloudFormation and `cdk deploy` know them. */
export type StackNames = Readonly<Record<'stateful' | 'stateless' | 'observability', string>>;

export function stackNames(stage: StageName): StackNames {
  const named = (which: string) => `SoilBatch-${stage}-${which}`;
  return {
    stateful: named('Stateful'),
    stateless: named('Stateless'),
    observability: named('Observability'),
  };
}

/** The one stage of each REST API, the first step of its default address's path. */
export const API_STAGE = 'live';
