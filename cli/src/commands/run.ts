import type { CommandSpec } from './command-spec.ts';
import { concludeRun, downloadRun, submitRun, watchRun } from './finish-run.ts';
import { START_OPTIONS } from './run-options.ts';
import { withStartedRun } from './start-run.ts';

export const FILE_PARAMETER = 'GeoJSON, GeoPackage, Shapefile (also zipped) or FlatGeobuf';

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
