import type { Described } from './described.ts';
import { docsOperation, docsSpecification } from './open/docs.ts';
import { healthOperation, healthSpecification } from './open/health.ts';
import type { OpenPorts } from './open/open-ports.ts';
import { openApiOperation, openApiSpecification } from './open/openapi.ts';
import { problemPageOperation, problemPageSpecification } from './open/problem-page.ts';
import { rootOperation, rootSpecification } from './open/root.ts';
import type { ServedBy } from './table.ts';

/** The operations of the function `open`, which need no key. */
export const OPEN = {
  health: { operation: healthOperation, specification: healthSpecification },
  openapi: { operation: openApiOperation, specification: openApiSpecification },
  root: { operation: rootOperation, specification: rootSpecification },
  docs: { operation: docsOperation, specification: docsSpecification },
  'problem-page': { operation: problemPageOperation, specification: problemPageSpecification },
} as const satisfies Readonly<Record<ServedBy<'open'>, Described<OpenPorts>>>;
