export const STAGES = ['local', 'dev', 'prod'] as const;
export type StageName = (typeof STAGES)[number];

export type StackNames = Readonly<Record<'stateful' | 'stateless' | 'observability', string>>;

export function listStackNames(stage: StageName): StackNames {
  const nameStack = (which: string) => `SoilBatch-${stage}-${which}`;
  return {
    stateful: nameStack('Stateful'),
    stateless: nameStack('Stateless'),
    observability: nameStack('Observability'),
  };
}

/** The only stage of each REST API. It is the first path segment of the API's default URL. */
export const API_STAGE = 'live';
