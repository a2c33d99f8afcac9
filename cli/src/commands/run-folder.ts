import path from 'node:path';
import { CliError } from '../exit-code.ts';
import { openRun, type Run } from '../run/run.ts';
import type { Service, Session } from './session.ts';

export const FOLDER_PARAMETER = 'folder of a run';

/**
 * Works on the run of a folder, alone.
 * @throws CliError if the run is of another service than the configured one
 */
export async function withRun<Result>(
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
