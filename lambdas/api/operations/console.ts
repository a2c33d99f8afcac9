import { consoleAssetOperation, consoleAssetSpecification } from './console/console-asset.ts';
import { consolePageOperation, consolePageSpecification } from './console/console-page.ts';
import type { ConsolePorts } from './console/console-ports.ts';
import type { Described } from './described.ts';
import type { ServedBy } from './table.ts';

/** The operations of the function `console`, which need no key. */
export const CONSOLE = {
  console: { operation: consolePageOperation, specification: consolePageSpecification },
  'console-asset': { operation: consoleAssetOperation, specification: consoleAssetSpecification },
} as const satisfies Readonly<Record<ServedBy<'console'>, Described<ConsolePorts>>>;
