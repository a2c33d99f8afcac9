import type { Command } from 'commander';
import { EXIT, type ExitCode } from '../exit-code.ts';
import type { CommandSpec } from './command-spec.ts';
import { concludeRun, downloadRun, submitRun, watchRun } from './finish-run.ts';
import { START_OPTIONS, type StartOptions } from './run-options.ts';
import type { Session } from './session.ts';
import { startRun } from './start-run.ts';

export const FILE_PARAMETER = 'GeoJSON, GeoPackage, Shapefile (also zipped) or FlatGeobuf';

export const RUN: CommandSpec = {
  usage: 'run <file>',
  summary: 'predict every field of a file and download the maps: submit, watch, download',
  parameters: { file: FILE_PARAMETER },
  example: 'run fields.gpkg --year 2021 --name-field id',
  options: START_OPTIONS,
  action: runFile,
};

async function runFile(session: Session, command: Command): Promise<ExitCode> {
  const service = await session.connect();
  const run = await startRun(session, service, command.args[0] ?? '', command.opts<StartOptions>());
  if (run === null) return EXIT.error;
  try {
    const quota = await submitRun(session, service, run);
    await watchRun(session, service, run);
    const outcomes = await downloadRun(session, service, run);
    return concludeRun(session, run, outcomes, quota);
  } finally {
    await run.release();
  }
}
