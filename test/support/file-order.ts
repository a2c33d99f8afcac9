import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Files that take longest, or mostly wait, start first, so that others run meanwhile. */
const FIRST =
  /\/(infra\/deployable|faults\/(failures|interferences)|e2e\/(tenants|generated-requests|webhook-retries))\.test\.ts$/;
/** Searches the logs of all others. */
const LAST = /\/e2e\/all-logs\.test\.ts$/;

function rank({ moduleId }: TestSpecification): number {
  if (FIRST.test(moduleId)) return 0;
  return LAST.test(moduleId) ? 2 : 1;
}

/** Vitest's own order, except for these files. */
export class FileOrder extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    return sorted.sort((a, b) => rank(a) - rank(b));
  }
}
