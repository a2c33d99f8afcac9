import { env } from '../../adapters/environment/env.ts';
import { builtWith } from '../http/built-with.ts';
import { FALLBACK, handle } from '../http/handle.ts';
import { handleEach } from '../http/handle-each.ts';
import { fallbackOperation } from '../operations/open/fallback.ts';
import { OPEN } from '../operations/open.ts';
import { openApiDocument } from '../specification/document.ts';

const build = () =>
  builtWith(OPEN, {
    version: env('api/functions/open').SERVICE_VERSION,
    document: openApiDocument,
  });

/** Also serves every request that no operation serves. */
export const handler = handleEach(
  'open',
  (name) => handle(name, () => build()[name]),
  handle(FALLBACK, fallbackOperation),
);
