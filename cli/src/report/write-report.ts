import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import { storedFacts } from '../results/run-facts.ts';
import { readOutcomes } from '../run/outcomes.ts';
import { replaceFile } from '../run/replace-file.ts';
import { resultJobs } from '../run/result-jobs.ts';
import type { Run } from '../run/run.ts';
import { reportPage } from './report-page.ts';

export const REPORT_FILE = 'report.html';

/** Writes the report of a run from the files of its folder alone. */
export async function writeReport(run: Run, version: string, signal: AbortSignal): Promise<void> {
  const { folder, state, jobs } = run;
  const outcomes = await readOutcomes(null, run, signal);
  const rasterDigests = new Map<string, string>();
  for (const { file } of jobs) {
    const digest = await digestOf(path.join(folder, file));
    if (digest !== null) rasterDigests.set(file, digest);
  }
  const facts = await storedFacts(folder);
  const isHere = (index: number) => rasterDigests.has(jobs[index]?.file ?? '');
  const page = reportPage({
    title: path.basename(folder),
    baseUrl: state.base_url,
    createdAt: state.created_at,
    inputDigest: state.input.digest,
    jobs: resultJobs(jobs, outcomes, facts?.models ?? [], isHere),
    rasterDigests,
    facts,
    version,
  });
  await replaceFile(path.join(folder, REPORT_FILE), page);
}

/** SHA-256 in lower-case hex; null without such a file. */
async function digestOf(file: string): Promise<string | null> {
  if ((await stat(file).catch(() => null)) === null) return null;
  const hash = createHash('sha256');
  await pipeline(createReadStream(file), hash);
  return hash.digest('hex');
}
