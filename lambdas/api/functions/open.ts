import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { consoleFolder } from '../../adapters/console-folder.ts';
import { env } from '../../adapters/environment.ts';
import { resultsOrigin } from '../../adapters/s3/presigned-url.ts';
import { OPEN_OPERATIONS } from '../operation-lists/open-operations.ts';
import { serve } from '../serve.ts';

/** Needs no API key, and may read only the files of its own asset. */
export const handler = serve(OPEN_OPERATIONS, () => ({
  version: env.SERVICE_VERSION,
  readTemplate: (name) => readFile(join(env.LAMBDA_TASK_ROOT, 'templates', name), 'utf8'),
  files: consoleFolder(join(env.LAMBDA_TASK_ROOT, 'console')),
  resultsOrigin: resultsOrigin(env.RESULTS_BUCKET),
  backgrounds: env.CONSOLE_BACKGROUNDS,
  isOriginShared: env.CONSOLE_ORIGIN_SHARED,
}));
