import * as z from 'zod';
import { namingTransient } from '../adapters/service-failure.ts';
import { isBatchId } from '../domain/identity.ts';
import { LIMITS } from '../domain/limits.ts';
import { TENANT_NAME } from '../domain/tenant/tenant.ts';
import { type Log, log } from '../observability/log.ts';
import type { TenantSeen } from '../observability/tenant-seen.ts';

const batch = { batch_id: z.string().refine(isBatchId, 'not a batch id') };
const job = { ...batch, job_index: z.number().int().min(0).lt(LIMITS.jobsPerBatch) };
const idx = z.number().int().min(0).lt(LIMITS.patchBatchesPerJob);
const patchBatch = { ...job, patch_batch_idx: idx };

/** As the plan told it; an execution that was begun before plans did tells none. */
const told = { tenant: z.string().regex(TENANT_NAME).nullish() };

/** What a Catch of the state machine puts under `error`. */
export const stepError = z.object({ Error: z.string(), Cause: z.string().optional() });

export const batchInput = z.object(batch);
export const jobInput = z.object(job);
export const patchBatchInput = z.object(patchBatch);

const share = z.looseObject({ patch_batches: z.array(idx).min(1) });

export interface StepOptions<Outcome> {
  /** Counts what came of it. */
  readonly measured?: (outcome: Outcome) => void;
  /** @default the function's log */
  readonly write?: Log;
  /** Whose the batch is, when the step has read it; else it says what it was told. */
  readonly tenantSeen?: TenantSeen;
}

/**
 * A task of the state machine: its input parsed, its outcome as one event of the log (ids and
 * outcomes; never a polygon, an address or a secret), and failures of services under the name the
 * state machine retries. Answers are objects: Step Functions adds nothing to them.
 */
export function step<Input, Outcome extends { readonly kind: string }, Answer extends object>(
  name: string,
  input: z.ZodType<Input>,
  run: (input: Input) => Promise<Outcome>,
  answer: (outcome: Outcome, input: Input) => Answer,
  { measured = () => {}, write = log, tenantSeen = () => undefined }: StepOptions<Outcome> = {},
): (event: unknown) => Promise<Answer> {
  return async (event) => {
    const { tenant: toldTenant, ...ids } = idsOf(event);
    const startedAt = performance.now();
    const whose = () => {
      const seen = ids.batch_id === undefined ? undefined : tenantSeen(ids.batch_id);
      const tenant = seen ?? toldTenant ?? undefined;
      return tenant === undefined ? {} : { tenant };
    };
    const duration = () => ({ duration_ms: Math.round(performance.now() - startedAt) });
    try {
      const parsed = input.parse(event);
      const outcome = await run(parsed);
      measured(outcome);
      write('info', name, { ...whose(), ...ids, ...loggable(outcome), ...duration() });
      return answer(outcome, parsed);
    } catch (error) {
      const named = namingTransient(error);
      const failure = named instanceof Error ? named.name : 'unknown';
      write('error', name, { ...whose(), ...ids, outcome: 'threw', failure, ...duration() });
      throw named;
    }
  };
}

/**
 * A step of a patch-batch for each of a share, in order: each has its own line and its own outcome. Where
 * one throws, the rest is left to the repetition, which finds those before it done.
 */
export function forEachOfShare(
  one: (event: unknown) => Promise<object>,
): (event: unknown) => Promise<object> {
  return async (event) => {
    const parsed = share.safeParse(event);
    // The step refuses what is no share, and logs that it did.
    if (!parsed.success) return one(event);
    const { patch_batches, ...rest } = parsed.data;
    for (const patch_batch_idx of patch_batches) await one({ ...rest, patch_batch_idx });
    return {};
  };
}

/** For the log: `error` of a Catch may hold a stack, and its step has logged it. */
const loggedIds = z.object({ ...patchBatch, ...told }).partial();

function idsOf(event: unknown) {
  return loggedIds.safeParse(event).data ?? {};
}

const coded = z.object({ code: z.string() });

/**
 * Members as the wire spells them; errors by their code alone: their message tells of the polygon; of
 * lists how long they are.
 */
function loggable({ kind, ...members }: { readonly kind: string }): object {
  return { outcome: kind, ...spelled(members) };
}

function spelled(members: object): object {
  const loggables = Object.entries(members).map(([name, value]: [string, unknown]) => [
    name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
    loggableValue(value),
  ]);
  return Object.fromEntries(loggables);
}

function loggableValue(value: unknown): unknown {
  if (Array.isArray(value)) return value.length;
  if (typeof value !== 'object' || value === null) return value;
  return coded.safeParse(value).data?.code ?? spelled(value);
}
