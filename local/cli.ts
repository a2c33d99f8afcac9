import { SERVICE_FILE } from '../bin/operator/local-service.ts';
import { runCli } from '../cli/src/commands/program.ts';
import type { Connection } from '../cli/src/config/config.ts';
import { processHost } from '../cli/src/process-host.ts';
import { findRunningService } from './service-file.ts';

const SCRIPT = 'cli';

/** The service of `npm start`, if it runs. */
async function localService(): Promise<Connection | undefined> {
  const service = await findRunningService();
  return service && { baseUrl: service.v2_url, apiKey: service.api_key };
}

// npm runs a script in the folder of package.json; the paths of its user are relative to another.
const { npm_lifecycle_event: script, INIT_CWD: folder } = process.env;
if (script === SCRIPT && folder !== undefined) process.chdir(folder);

/** `npm run cli`: the CLI from source, by default with the local service. */
const host = processHost({ path: SERVICE_FILE, read: localService });
process.exitCode = await runCli(process.argv.slice(2), host);
