import { join } from 'node:path';
import { consoleFolder } from '../../adapters/console-folder.ts';
import { env } from '../../adapters/environment.ts';
import { resultsOrigin } from '../../adapters/s3/presigned-url.ts';
import { CONSOLE_OPERATIONS } from '../definitions/console.ts';
import { builtWith } from '../handling/built-with.ts';
import { FALLBACK, handle } from '../handling/handle.ts';
import { handleEach } from '../handling/handle-each.ts';
import { CONSOLE } from '../operations/console.ts';
import { fallbackOperation } from '../operations/fallback.ts';

const build = () => {
  return builtWith(CONSOLE, {
    files: consoleFolder(join(env.LAMBDA_TASK_ROOT, 'console')),
    resultsOrigin: resultsOrigin(env.RESULTS_BUCKET),
    tileUrl: env.CONSOLE_TILE_URL,
    tileAttribution: env.CONSOLE_TILE_ATTRIBUTION,
  });
};

/** Other methods on its paths are not allowed. */
export const handler = handleEach(
  'console',
  CONSOLE_OPERATIONS,
  (operation) => handle(operation, () => build()[operation.name]),
  handle(FALLBACK, () => fallbackOperation(Object.values(CONSOLE_OPERATIONS))),
);
