import {
  type BatchTotal,
  type Model,
  type ModelDescription,
  type SoilClient,
  SoilError,
} from 'soil-batch-client';
import { unchangedText } from '../run/digests.ts';
import type { Outcomes } from '../run/outcomes.ts';

/** What a model predicts and with which files, as the jobs say, and what the service publishes of it. */
export interface ModelFacts extends ModelDescription {
  /** Null if the deployment no longer has the model. */
  readonly published: Model | null;
}

export interface RunTotals {
  readonly totals: BatchTotal | null;
  /** Why there are no totals. */
  readonly totals_missing: string | null;
}

/** What holds for a run as a whole. */
export interface RunFacts extends RunTotals {
  readonly models: readonly ModelFacts[];
}

/** Each null if its file is missing or was changed. */
export interface StoredFacts {
  readonly models: readonly ModelFacts[] | null;
  readonly totals: RunTotals | null;
}

export const TOTALS_FILE = 'totals.json';
export const MODELS_FILE = 'models.json';

/** Limits of one total. */
const MOST_BATCHES = 10;
const MOST_EXCLUDED = 150;

interface Reading {
  readonly client: SoilClient;
  readonly signal: AbortSignal;
}

/** Null if the service has deleted a batch: what the folder has then stays. */
export async function readFacts(
  reading: Reading,
  folder: string,
  outcomes: Outcomes,
): Promise<RunFacts | null> {
  const current = currentJobs(outcomes);
  const { models, totals } = await storedFacts(folder);
  if (models !== null && totals !== null && isCurrent(totals, current)) {
    return { models, ...totals };
  }
  try {
    return {
      models: await modelsOf(reading, current.batchIds),
      ...(await totalsOf(reading, current)),
    };
  } catch (error) {
    if (isGone(error)) return null;
    throw error;
  }
}

/** The jobs of a run's fields as they are now, within its batches. */
interface CurrentJobs {
  /** Batches that have such a job. */
  readonly batchIds: readonly string[];
  readonly completed: number;
  /** How many other jobs these batches have, and which of them no job of these batches retries. */
  readonly others: number;
  readonly exclude: readonly string[];
}

function currentJobs({ jobs, batches }: Outcomes): CurrentJobs {
  const current = [...jobs.values()].map(({ job }) => job);
  const ids = new Set(current.map(({ job_id }) => job_id));
  const counted = [...batches].filter(([, all]) => all.some(({ job_id }) => ids.has(job_id)));
  const others = counted.flatMap(([, all]) => all.filter(({ job_id }) => !ids.has(job_id)));
  const retried = new Set(
    counted.flatMap(([, all]) => all.flatMap((job) => job.retry_of_job_id ?? [])),
  );
  return {
    batchIds: counted.map(([id]) => id),
    completed: current.filter(({ summary }) => summary !== null).length,
    others: others.length,
    exclude: others.map(({ job_id }) => job_id).filter((id) => !retried.has(id)),
  };
}

/** Totals of finished batches never change. */
function isCurrent({ totals }: RunTotals, { batchIds, completed, others }: CurrentJobs): boolean {
  return (
    totals?.finished === true &&
    totals.included_jobs === completed &&
    totals.excluded_jobs === others &&
    totals.batch_ids.join() === batchIds.join()
  );
}

function isGone(error: unknown): boolean {
  return error instanceof SoilError && ['batch-not-found', 'results-expired'].includes(error.type);
}

async function modelsOf(
  { client, signal }: Reading,
  batchIds: readonly string[],
): Promise<readonly ModelFacts[]> {
  const described = new Map<string, ModelDescription>();
  for (const id of batchIds) {
    let cursor: string | undefined;
    do {
      const page = await client.batch(id).status({ jobs: 'completed', limit: 100, cursor, signal });
      for (const one of page.models) described.set(`${one.model} ${one.model_sha256}`, one);
      cursor = page.next_cursor ?? undefined;
    } while (cursor !== undefined);
  }
  if (described.size === 0) return [];
  const { models } = await client.models({ signal });
  return [...described.values()].map((one) => ({
    ...one,
    published: models.find(({ model }) => model === one.model) ?? null,
  }));
}

async function totalsOf(
  { client, signal }: Reading,
  { batchIds, completed, exclude }: CurrentJobs,
): Promise<RunTotals> {
  const missing = (why: string) => ({ totals: null, totals_missing: why });
  const [first, ...others] = batchIds;
  if (first === undefined || completed === 0) return missing('No job is completed.');
  const remedy = 'a run of the same file in a new folder (--out) has one';
  if (batchIds.length > MOST_BATCHES) {
    return missing(
      `The fields are in ${batchIds.length} batches, and a total is of at most ${MOST_BATCHES}: ${remedy}, if the file has at most 10,000 fields.`,
    );
  }
  if (exclude.length > MOST_EXCLUDED) {
    return missing(
      `${exclude.length} fields were changed after their batch, and a total excludes at most ${MOST_EXCLUDED}: ${remedy}.`,
    );
  }
  const totals = await client.batch(first).total({ others, exclude, signal });
  return { totals, totals_missing: null };
}

/** The facts that the folder has for the jobs of its lists; totals of other jobs count as missing. */
export async function currentFacts(folder: string, outcomes: Outcomes): Promise<StoredFacts> {
  const { models, totals } = await storedFacts(folder);
  const isOfOthers = totals?.totals != null && !isCurrent(totals, currentJobs(outcomes));
  return { models, totals: isOfOthers ? { totals: null, totals_missing: OF_OTHERS } : totals };
}

const OF_OTHERS =
  'The totals in this folder are not of the fields and results below: “soil-batch download” fetches those.';

/** The facts that the folder of results has. */
export async function storedFacts(folder: string): Promise<StoredFacts> {
  const [models, totals] = await Promise.all([
    unchangedText(folder, MODELS_FILE),
    unchangedText(folder, TOTALS_FILE),
  ]);
  // This program wrote both.
  return { models: parsed(models), totals: parsed(totals) };
}

function parsed<Facts>(text: string | null): Facts | null {
  try {
    return text === null ? null : JSON.parse(text);
  } catch {
    return null;
  }
}

/** By name, as JSON. */
export function factFiles({ models, ...totals }: RunFacts): ReadonlyMap<string, string> {
  const text = (value: unknown) => `${JSON.stringify(value, null, 2)}\n`;
  return new Map([
    [MODELS_FILE, text(models)],
    [TOTALS_FILE, text(totals)],
  ]);
}
