import * as z from 'zod';
import { STAGES } from '../stages.ts';
import { capacity } from './capacity.ts';
import { deliveries } from './deliveries.ts';
import { browsers, reach } from './reach.ts';
import { retention } from './retention.ts';
import { watching } from './watching.ts';

const members = z.strictObject({
  stage: z.enum(STAGES),
  ...retention,
  /** Folder of the packs, from the clone's root. */
  modelsFolder: z.string().min(1),
  /** Folders in it; a job without `model` takes the first whose coverage holds it. */
  modelPacks: z.array(z.string().regex(/^[a-z][a-z0-9_-]{0,62}$/, 'must be a folder name')).min(1),
  ...deliveries,
  ...capacity,
  ...browsers,
  ...watching,
  ...reach,
  /** How new versions of the API's functions take over; a gradual one goes back on errors. */
  rollout: z.enum(['at-once', 'canary', 'linear']),
});

const schema = members
  // The contract's schedule is the one thing of it that configuration could break.
  .refine(({ stage, webhooks }) => stage === 'local' || webhooks.scheduleFactor === 1, {
    path: ['webhooks', 'scheduleFactor'],
    error: 'must be 1, but in the stage "local"',
  })
  .refine(({ addresses, domains }) => addresses === undefined || domains === undefined, {
    path: ['addresses'],
    error: 'follow from domains; only one of the two may be given',
  });

/** Everything that differs between deployments of the service. */
export type StageConfig = Readonly<z.infer<typeof schema>>;

/**
 * @throws Error that names every key that is wrong or unknown, and what is allowed
 */
export function parseConfig(input: unknown): StageConfig {
  const parsed = schema.safeParse(input);
  if (parsed.success) return parsed.data;
  throw notValid(parsed.error.issues.flatMap(told));
}

/** @param problems each begins with the key */
export function notValid(problems: readonly string[]): Error {
  const lines = problems.map((problem) => `\n  ${problem}`).join('');
  return new Error(`the stage's configuration is not valid (lib/config/each-stage.ts):${lines}`);
}

function told(issue: z.core.$ZodIssue): readonly string[] {
  const path = issue.path.join('.');
  if (issue.code === 'unrecognized_keys') {
    const within = path === '' ? '' : `${path}.`;
    return issue.keys.map((key) => `${within}${key}: ${noSuchKey(within)}`);
  }
  return [`${path}: ${issue.message.replace(/received undefined$/, 'but it is missing')}`];
}

function noSuchKey(within: string): string {
  const known = configurationKeys()
    .filter((key) => key.startsWith(within))
    .map((key) => key.slice(within.length).split('.')[0]);
  return `there is no such key, but ${[...new Set(known)].join(', ')}`;
}

/** Every key there is, nested ones by their path: what the documentation has to tell. */
export function configurationKeys(): readonly string[] {
  return keysOf('', members);
}

function keysOf(path: string, schema: z.core.$ZodType): readonly string[] {
  const inner = schema instanceof z.ZodOptional ? schema.unwrap() : schema;
  if (!(inner instanceof z.ZodObject)) return [path];
  return Object.entries(inner.shape).flatMap(([key, value]) =>
    keysOf(path === '' ? key : `${path}.${key}`, value),
  );
}
