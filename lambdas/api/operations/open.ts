import type { OperationOf } from '../http/handle.ts';
import { docsOperation } from './open/docs.ts';
import { healthOperation } from './open/health.ts';
import type { OpenPorts } from './open/open-ports.ts';
import { openApiOperation } from './open/openapi.ts';
import { problemPageOperation } from './open/problem-page.ts';
import { rootOperation } from './open/root.ts';
import type { ServedBy } from './table.ts';

/** The operations of the function `open`, which need no key. */
export const OPEN = {
  health: healthOperation,
  openapi: openApiOperation,
  root: rootOperation,
  docs: docsOperation,
  'problem-page': problemPageOperation,
} as const satisfies Readonly<Record<ServedBy<'open'>, OperationOf<OpenPorts>>>;
