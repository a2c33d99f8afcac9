import * as z from 'zod/mini';
import { asTransientFailure } from '../adapters/service-failure.ts';
import { isBatchId } from '../domain/identity.ts';
import { LIMITS } from '../domain/limits.ts';
import { TENANT_NAME } from '../domain/tenant/tenant.ts';
import { type KnownBatch, type Log, log, toLoggableFields } from '../observability/log.ts';

const batch = { batch_id: z.string().check(z.refine(isBatchId, 'not a batch id')) };
const job = { ...batch, job_index: z.int().check(z.nonnegative(), z.lt(LIMITS.jobsPerBatch)) };
const idx = z.int().check(z.nonnegative(), z.lt(LIMITS.patchBatchesPerJob));
const patchBatch = { ...job, patch_batch_idx: idx };

/** The planning step passes this to the job's later steps, for the log. The tenant is null if the batch is unknown. */
const passedOn = { tenant: z.nullish(z.string().check(z.regex(TENANT_NAME))) };

/** The error that a Catch of the state machine passes on. */
export const stepError = z.object({ Error: z.string(), Cause: z.optional(z.string()) });

export const batchInput = z.object(batch);
export const jobInput = z.object(job);
export const patchBatchInput = z.object(patchBatch);

const share = z.looseObject({ patch_batches: z.array(idx).check(z.minLength(1)) });

export interface StepOptions<Input, Outcome> {
  /** @default the output has no fields */
  readonly toOutput?: (outcome: Outcome, input: Input) => object;
  readonly measured?: (outcome: Outcome) => void;
  /** @default the function's log */
  readonly write?: Log;
  /** Returns the batch if the step has read it; otherwise the log has the input's tenant. */
  readonly knownBatch?: KnownBatch;
}

/**
 * Wraps a task of the state machine, or one patch-batch of a share: parses its input, logs its outcome as one event,
 * and renames transient service failures so that the state machine retries them.
 */
export function step<Input, Outcome extends { readonly kind: string }>(
  name: string,
  input: z.ZodMiniType<Input>,
  run: (input: Input) => Promise<Outcome>,
  {
    toOutput = () => ({}),
    measured = () => {},
    write = log,
    knownBatch = () => undefined,
  }: StepOptions<Input, Outcome> = {},
): (event: unknown) => Promise<object> {
  return async (event) => {
    const { tenant: inputTenant, ...ids } = readIds(event);
    const startedAt = performance.now();
    const batchFields = () => {
      const known = ids.batch_id === undefined ? undefined : knownBatch(ids.batch_id);
      const tenant = known?.tenant ?? inputTenant ?? undefined;
      return {
        ...(tenant === undefined ? {} : { tenant }),
        ...(known === undefined ? {} : { total_jobs: known.total_jobs }),
      };
    };
    const duration = () => ({ duration_ms: Math.round(performance.now() - startedAt) });
    try {
      const parsed = input.parse(event);
      const outcome = await run(parsed);
      measured(outcome);
      write('info', name, { ...batchFields(), ...ids, ...toLogFields(outcome), ...duration() });
      return toOutput(outcome, parsed);
    } catch (error) {
      const reported = asTransientFailure(error);
      const failure = reported instanceof Error ? reported.name : 'unknown';
      write('error', name, { ...batchFields(), ...ids, outcome: 'threw', failure, ...duration() });
      throw reported;
    }
  };
}

/**
 * Runs the patch-batches of a share in order. If one throws, the retry finds the earlier ones done and continues with
 * the rest.
 */
export function forEachOfShare(
  patchBatchStep: (event: unknown) => Promise<object>,
): (event: unknown) => Promise<object> {
  return async (event) => {
    const parsed = share.safeParse(event);
    // The step rejects and logs an invalid input.
    if (!parsed.success) return patchBatchStep(event);
    const { patch_batches, ...rest } = parsed.data;
    for (const patch_batch_idx of patch_batches) await patchBatchStep({ ...rest, patch_batch_idx });
    return {};
  };
}

/**
 * The `error` of a Catch is not logged here, because it may contain a stack trace, and the step that failed has already
 * logged its failure.
 */
const loggedIds = z.partial(z.object({ ...patchBatch, ...passedOn }));

function readIds(event: unknown) {
  return loggedIds.safeParse(event).data ?? {};
}

function toLogFields({ kind, ...fields }: { readonly kind: string }): object {
  return { outcome: kind, ...toLoggableFields(fields) };
}
