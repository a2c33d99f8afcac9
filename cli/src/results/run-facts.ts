import { readFile } from 'node:fs/promises';
import path from 'node:path';
import {
  type BatchTotal,
  type JobModel,
  type Model,
  type SoilClient,
  SoilError,
} from 'soil-batch-client';

/** What a model predicts and with which files, as the jobs say, and what the service publishes of it. */
export interface ModelFacts extends JobModel {
  /** Null if the deployment no longer has the model. */
  readonly published: Model | null;
}

/** What holds for a run as a whole. */
export interface RunFacts {
  readonly models: readonly ModelFacts[];
  readonly totals: BatchTotal | null;
  /** Why there are no totals. */
  readonly totalsMissing: string | null;
}

const TOTALS_FILE = 'totals.json';
const MODELS_FILE = 'models.json';

/** One total has at most so many batches. */
const LARGEST_TOTAL = 10;

interface RunBatches {
  readonly client: SoilClient;
  /** Of the results. */
  readonly folder: string;
  readonly batchIds: readonly string[];
  /** Completed jobs of the run's fields, as they are now. */
  readonly completed: number;
  readonly signal: AbortSignal;
}

/** Null if the service has deleted a batch: what the folder has then stays. */
export async function readFacts(run: RunBatches): Promise<RunFacts | null> {
  const stored = await storedFacts(run.folder);
  if (stored !== null && isCurrent(stored, run)) return stored;
  try {
    return { models: await modelsOf(run), ...(await totalsOf(run)) };
  } catch (error) {
    if (isGone(error)) return null;
    throw error;
  }
}

/** Totals of finished batches never change. */
function isCurrent({ totals }: RunFacts, { batchIds, completed }: RunBatches): boolean {
  return (
    totals?.finished === true &&
    totals.included_jobs === completed &&
    totals.batch_ids.join() === batchIds.join()
  );
}

function isGone(error: unknown): boolean {
  return error instanceof SoilError && ['batch-not-found', 'results-expired'].includes(error.type);
}

async function modelsOf({ client, batchIds, signal }: RunBatches): Promise<readonly ModelFacts[]> {
  const described = new Map<string, JobModel>();
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

async function totalsOf({
  client,
  batchIds,
  completed,
  signal,
}: RunBatches): Promise<Pick<RunFacts, 'totals' | 'totalsMissing'>> {
  const missing = (totalsMissing: string) => ({ totals: null, totalsMissing });
  const [first, ...others] = batchIds;
  if (first === undefined || completed === 0) return missing('No job is completed.');
  if (batchIds.length > LARGEST_TOTAL) {
    return missing(`The run has ${batchIds.length} batches, and a total at most ${LARGEST_TOTAL}.`);
  }
  const totals = await client.batch(first).total({ others, signal });
  if (totals.included_jobs === completed) return { totals, totalsMissing: null };
  return missing(
    'Some fields were replaced after they were completed, and a total would count both versions.',
  );
}

/** The facts that the folder of results has; null without them. */
export async function storedFacts(folder: string): Promise<RunFacts | null> {
  try {
    const [models, totals] = await Promise.all(
      [MODELS_FILE, TOTALS_FILE].map((name) => readFile(path.join(folder, name), 'utf8')),
    );
    // This program wrote both.
    return { models: JSON.parse(models ?? ''), ...JSON.parse(totals ?? '') };
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
