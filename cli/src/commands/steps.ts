import path from 'node:path';
import { Option } from 'commander';
import { CliError, EXIT, type ExitCode } from '../exit-code.ts';
import { FORMATS } from '../fields/read-fields.ts';
import { fileFaults } from '../report/files-section.ts';
import { REPORT_FILE, writeReport } from '../report/write-report.ts';
import { readOutcomes } from '../run/outcomes.ts';
import { newRun } from '../run/plan-run.ts';
import { type RetrySelection, retryFailed } from '../run/retry.ts';
import { openRun, type Run } from '../run/run.ts';
import type { CommandSpec } from './command-spec.ts';
import { concludeRun, downloadRun, submitRun, watchRun } from './finish-run.ts';
import { count } from './numbers.ts';
import { FIELD_OPTIONS, type FieldOptions, QUIET, START_OPTIONS } from './run-options.ts';
import type { Service, Session } from './session.ts';
import { readRequest, showEstimate, withStartedRun } from './start-run.ts';
import { cliVersion } from './version.ts';

const FILE_PARAMETER = `${FORMATS}, also zipped`;

const FOLDER_PARAMETER = 'folder of a run';

export const RUN: CommandSpec = {
  usage: 'run <file>',
  summary: 'predict every field of a file and download the maps: submit, watch, download',
  parameters: { file: FILE_PARAMETER },
  example: 'run fields.gpkg --year 2021 --name-field id',
  options: START_OPTIONS,
  async action(session, command) {
    return withStartedRun(session, command, async (service, run) => {
      const quota = await submitRun(session, service, run);
      await watchRun(session, service, run);
      const outcomes = await downloadRun(session, service, run);
      return concludeRun(session, run, outcomes, quota);
    });
  },
};

export const ESTIMATE: CommandSpec = {
  usage: 'estimate <file>',
  summary: 'show area, time, cost and failures of a run, without starting it',
  parameters: { file: FILE_PARAMETER },
  example: 'estimate fields.gpkg --year 2021',
  options: FIELD_OPTIONS,
  async action(session, command) {
    const service = await session.connect();
    const options = command.opts<FieldOptions>();
    const request = await readRequest(session, service, command.args[0] ?? '', options);
    await showEstimate(session, service, request, newRun(request));
    return EXIT.complete;
  },
};

export const SUBMIT: CommandSpec = {
  usage: 'submit <file>',
  summary: 'create the batches of a run; "watch" and "download" continue',
  parameters: { file: FILE_PARAMETER },
  example: 'submit fields.gpkg --year 2021 --out maps --yes',
  options: START_OPTIONS,
  async action(session, command) {
    return withStartedRun(session, command, async (service, run) => {
      const quota = await submitRun(session, service, run);
      if (quota !== null) throw quota;
      return EXIT.complete;
    });
  },
};

export const WATCH: CommandSpec = {
  usage: 'watch <folder>',
  summary: 'wait until the batches of a run are finished',
  parameters: { folder: FOLDER_PARAMETER },
  example: 'watch maps',
  options: [QUIET],
  async action(session, command) {
    return withRun(session, command.args[0] ?? '', async (service, run) => {
      const failed = await watchRun(session, service, run);
      return failed > 0 ? EXIT.partial : EXIT.complete;
    });
  },
};

export const DOWNLOAD: CommandSpec = {
  usage: 'download <folder>',
  summary: 'download what is finished and write the tables',
  parameters: { folder: FOLDER_PARAMETER },
  example: 'download maps',
  options: [QUIET],
  async action(session, command) {
    return withRun(session, command.args[0] ?? '', async (service, run) =>
      concludeRun(session, run, await downloadRun(session, service, run), null),
    );
  },
};

export const RETRY: CommandSpec = {
  usage: 'retry <folder>',
  summary: 'run the failed jobs of a run again that may succeed, and download their maps',
  parameters: { folder: FOLDER_PARAMETER },
  example: 'retry maps',
  options: [
    new Option('--all', 'also jobs that will fail again unless the models have changed'),
    QUIET,
  ],
  async action(session, command) {
    const only = command.opts<{ all?: boolean }>().all === true ? 'failed' : 'retryable';
    return withRun(session, command.args[0] ?? '', (service, run) =>
      retryRun(session, service, run, only),
    );
  },
};

export const REPORT: CommandSpec = {
  usage: 'report <folder>',
  summary:
    'write report.html: table, map, totals, model and method on one page, without the service',
  parameters: { folder: FOLDER_PARAMETER },
  example: 'report maps',
  options: [QUIET],
  async action(session, command) {
    const run = await openRun(path.resolve(session.cwd, command.args[0] ?? ''));
    try {
      const files = await writeReport(run, cliVersion(), session.signal);
      const file = path.join(run.folder, REPORT_FILE);
      const faults = fileFaults(files);
      session.terminal.report({ event: 'report', file, faults }, [`Written: ${file}`]);
      if (faults.length > 0) throw new CliError(`files are not as downloaded. ${faults.join(' ')}`);
      return EXIT.complete;
    } finally {
      await run.release();
    }
  },
};

async function retryRun(
  session: Session,
  service: Service,
  run: Run,
  only: RetrySelection,
): Promise<ExitCode> {
  const { terminal, signal } = session;
  // A retry that was interrupted may still run.
  await watchRun(session, service, run);
  const { client } = service;
  const retried = await retryFailed({
    client,
    run,
    outcomes: await readOutcomes(client, run, signal),
    only,
    signal,
    onRetried: (batchId, jobs) =>
      terminal.report({ event: 'retried', batch_id: batchId, total_jobs: jobs }, [
        `Retrying ${count(jobs, 'job')} as batch ${batchId}.`,
      ]),
  });
  if (retried === 0) terminal.note('No failed job can be retried.');
  else await watchRun(session, service, run);
  return concludeRun(session, run, await downloadRun(session, service, run), null);
}

/**
 * Works on the run of a folder, alone.
 * @throws CliError if the run is of another service than the configured one
 */
async function withRun<Result>(
  session: Session,
  folder: string,
  work: (service: Service, run: Run) => Promise<Result>,
): Promise<Result> {
  const service = await session.connect();
  const { baseUrl } = service;
  const run = await openRun(path.resolve(session.cwd, folder));
  try {
    if (run.state.base_url !== baseUrl) {
      throw new CliError(
        `the run in ${folder} is of ${run.state.base_url}, not of ${baseUrl}: use --base-url and its key`,
      );
    }
    return await work(service, run);
  } finally {
    await run.release();
  }
}
