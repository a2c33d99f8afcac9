import { entryOf } from '../../lambdas/adapters/assets/console-folder.ts';
import type { ConsoleFiles } from '../../lambdas/api/operations/console/console-ports.ts';
import { consoleBuild } from '../../lib/console-build.ts';

/** The console of the sources as they are now: each request of the page builds what has changed. */
export const builtConsole: ConsoleFiles = {
  entry: async () => entryOf(Object.keys(consoleBuild())),
  read: async (name) => new Map(Object.entries(consoleBuild())).get(name),
};
