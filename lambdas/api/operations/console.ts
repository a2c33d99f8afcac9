import type { OperationOf } from '../http/handle.ts';
import { consoleAssetOperation } from './console/console-asset.ts';
import { consolePageOperation } from './console/console-page.ts';
import type { ConsolePorts } from './console/console-ports.ts';
import type { ServedBy } from './table.ts';

/** The operations of the function `console`, which need no key. */
export const CONSOLE = {
  console: consolePageOperation,
  'console-asset': consoleAssetOperation,
} as const satisfies Readonly<Record<ServedBy<'console'>, OperationOf<ConsolePorts>>>;
