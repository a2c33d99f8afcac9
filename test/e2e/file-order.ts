import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Files that mostly wait start first, so that others run meanwhile. The search of all logs comes last. */
const FIRST = /\/e2e\/(tenants|generated-requests|webhook-retries|obedient-clients)\.test\.ts$/;
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
