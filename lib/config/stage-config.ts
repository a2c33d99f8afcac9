import * as z from 'zod';
import { STAGES } from '../stages.ts';
import { alarms } from './alarms.ts';
import { capacity } from './capacity.ts';
import { deliveries } from './deliveries.ts';
import { cors, endpoints } from './endpoints.ts';
import { retention } from './retention.ts';

const fields = z.strictObject({
  stage: z.enum(STAGES),
  ...retention,
  /** Folder of the packs, relative to the root of the repository. */
  modelsFolder: z.string().min(1),
  /** Folders in it; a job without `model` uses the first whose coverage contains its polygon. */
  modelPacks: z.array(z.string().regex(/^[a-z][a-z0-9_-]{0,62}$/, 'must be a folder name')).min(1),
  ...deliveries,
  ...capacity,
  ...cors,
  ...alarms,
  ...endpoints,
  /** How new versions of the API's functions roll out; a gradual rollout rolls back on errors. */
  rollout: z.enum(['at-once', 'canary', 'linear']),
});

const schema = fields
  // Clients rely on the documented schedule.
  .refine(({ stage, webhooks }) => stage === 'local' || webhooks.scheduleFactor === 1, {
    path: ['webhooks', 'scheduleFactor'],
    error: 'must be 1, except in the stage "local"',
  })
  .refine(({ baseUrls, domains }) => baseUrls === undefined || domains === undefined, {
    path: ['baseUrls'],
    error: 'must not be set together with domains, from which they follow',
  });

/** Everything that differs between deployments of the service. */
export type StageConfig = Readonly<z.infer<typeof schema>>;

/**
 * @throws Error that names every invalid or unknown key, and what is allowed
 */
export function parseConfig(input: unknown): StageConfig {
  const parsed = schema.safeParse(input);
  if (parsed.success) return parsed.data;
  throw notValid(parsed.error.issues.flatMap(messagesOf));
}

/** @param problems each starts with its key */
export function notValid(problems: readonly string[]): Error {
  const lines = problems.map((problem) => `\n  ${problem}`).join('');
  return new Error(`the stage's configuration is not valid (lib/config/each-stage.ts):${lines}`);
}

function messagesOf(issue: z.core.$ZodIssue): readonly string[] {
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
  return `unknown key; known keys are ${[...new Set(known)].join(', ')}`;
}

/** Every key, nested ones by their path; the documentation must list them all. */
export function configurationKeys(): readonly string[] {
  return keysOf('', fields);
}

function keysOf(path: string, schema: z.core.$ZodType): readonly string[] {
  const inner = schema instanceof z.ZodOptional ? schema.unwrap() : schema;
  if (!(inner instanceof z.ZodObject)) return [path];
  return Object.entries(inner.shape).flatMap(([key, value]) =>
    keysOf(path === '' ? key : `${path}.${key}`, value),
  );
}
