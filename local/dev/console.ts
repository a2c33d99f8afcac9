import { entryOf } from '../../lambdas/adapters/console-folder.ts';
import type { ConsoleFiles } from '../../lambdas/api/operations/console/console-ports.ts';
import { consoleBuild } from '../../lib/console-build.ts';

/** By name, of every build so far: a name contains a hash of its content, and an open page may load more. */
const built = new Map<string, string>();

function build(): readonly string[] {
  const files = Object.entries(consoleBuild());
  for (const [name, text] of files) built.set(name, text);
  return files.map(([name]) => name);
}

/** The console of the sources as they are now: each request of the page builds what has changed. */
export const builtConsole: ConsoleFiles = {
  entry: async () => entryOf(build()),
  async read(name) {
    // A page of an earlier process may still load files.
    if (!built.has(name)) build();
    return built.get(name);
  },
};
