import path from 'node:path';
import { DirectorySink } from 'soil-batch-client/node';
import { currentFacts, MODELS_FILE, TOTALS_FILE } from '../results/run-facts.ts';
import { TABLE_FILE } from '../results/write-results.ts';
import { allBatches } from '../run/batches.ts';
import { type CheckedFile, checkedFile, recordedDigests } from '../run/digests.ts';
import { jobsFile, type Outcomes, readOutcomes } from '../run/outcomes.ts';
import { replaceFile } from '../run/replace-file.ts';
import { resultJobs } from '../run/result-jobs.ts';
import type { Run } from '../run/run.ts';
import { STATE_FOLDER } from '../run/run-file.ts';
import { reportPage } from './report-page.ts';

export const REPORT_FILE = 'report.html';

/** Writes the report of a run from the files of its folder alone. Returns these files. */
export async function writeReport(
  run: Run,
  version: string,
  signal: AbortSignal,
): Promise<readonly CheckedFile[]> {
  const { folder, state, jobs, fields } = run;
  const outcomes = await readOutcomes(null, run, signal);
  const files = [...(await checkedTables(run)), ...(await checkedRasters(run, outcomes))];
  const facts = await currentFacts(folder, outcomes);
  const here = new Set(files.flatMap(({ file, found }) => (found === null ? [] : [file])));
  const { input } = state;
  const page = reportPage({
    title: path.basename(folder),
    baseUrl: state.base_url,
    createdAt: state.created_at,
    writtenAt: new Date().toISOString(),
    batchIds: allBatches(state).map(({ id }) => id),
    input: {
      name: path.basename(input.path),
      layer: input.layer,
      sha256: input.file_sha256,
      crs: fields.crs.code ?? fields.crs.name,
      storedFile: `${STATE_FOLDER}/${input.stored}`,
      storedSha256: input.digest,
    },
    jobs: resultJobs(jobs, outcomes, facts.models ?? [], (index) =>
      here.has(jobs[index]?.file ?? ''),
    ),
    ...{ files, facts, version },
  });
  await replaceFile(path.join(folder, REPORT_FILE), page);
  return files;
}

/** The tables that people read, and the lists of jobs that the report is made from. */
async function checkedTables({ folder, state }: Run): Promise<readonly CheckedFile[]> {
  const recorded = await recordedDigests(folder);
  const lists = allBatches(state).map(({ id }) => jobsFile(id));
  const checked: CheckedFile[] = [];
  for (const file of [TABLE_FILE, TOTALS_FILE, MODELS_FILE, ...lists]) {
    const one = await checkedFile(folder, file, recorded.get(file) ?? null);
    if (one !== null) checked.push(one);
  }
  return checked;
}

/** Of all completed jobs; one that was never downloaded is missing. */
async function checkedRasters(
  { folder, jobs }: Run,
  outcomes: Outcomes,
): Promise<readonly CheckedFile[]> {
  const downloads = new DirectorySink(folder);
  const checked: CheckedFile[] = [];
  for (const { index, file } of jobs) {
    const recorded = await downloads.digestOf(file);
    const one = await checkedFile(folder, file, recorded);
    const isExpected = outcomes.jobs.get(index)?.job.status === 'completed';
    if (one !== null) checked.push(one);
    else if (isExpected) checked.push({ file, state: 'missing', recorded, found: null });
  }
  return checked;
}
