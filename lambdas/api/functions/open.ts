import { env } from '../../adapters/environment.ts';
import { OPEN_OPERATIONS } from '../definitions/open.ts';
import { OPERATIONS } from '../definitions/operations.ts';
import { builtWith } from '../handling/built-with.ts';
import { FALLBACK, handle } from '../handling/handle.ts';
import { handleEach } from '../handling/handle-each.ts';
import { fallbackOperation } from '../operations/fallback.ts';
import { OPEN } from '../operations/open.ts';
import { openApiDocument } from '../specification/document.ts';

const build = () =>
  builtWith(OPEN, {
    version: env.SERVICE_VERSION,
    document: openApiDocument,
  });

/** Also serves every request that no operation serves. */
export const handler = handleEach(
  'open',
  OPEN_OPERATIONS,
  (operation) => handle(operation, () => build()[operation.name]),
  handle(FALLBACK, () => fallbackOperation(OPERATIONS)),
);
