import { join } from 'node:path';
import { consoleFolder } from '../../adapters/console-folder.ts';
import { env } from '../../adapters/environment.ts';
import { resultsOrigin } from '../../adapters/s3/presigned-url.ts';
import { builtWith, OPEN } from '../endpoints.ts';
import { serveOpen } from '../serve.ts';
import { openApiDocument } from '../specification/document.ts';

/** Serves the operations that need no key, and may read nothing. */
export const handler = serveOpen(() =>
  builtWith(OPEN, {
    version: env.SERVICE_VERSION,
    document: openApiDocument,
    files: consoleFolder(join(env.LAMBDA_TASK_ROOT, 'console')),
    resultsOrigin: resultsOrigin(env.RESULTS_BUCKET),
    tileUrl: env.CONSOLE_TILE_URL,
    tileAttribution: env.CONSOLE_TILE_ATTRIBUTION,
  }),
);
