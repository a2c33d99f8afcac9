import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** The files that take longest or mostly wait. They start first, so that others run meanwhile. */
const FIRST = [
  ...['e2e/console', 'e2e/documented-examples', 'e2e/generated-requests'],
  ...['e2e/tenants', 'e2e/webhook-retries'],
  ...['faults/failures', 'faults/interferences'],
  ...['integration/domain/total/total', 'integration/mirror/mirror'],
].map((name) => `/${name}.test.ts`);
/** This file searches the logs of all others. */
const LAST = '/e2e/all-logs.test.ts';

function rank({ moduleId }: TestSpecification): number {
  if (FIRST.some((ending) => moduleId.endsWith(ending))) return 0;
  return moduleId.endsWith(LAST) ? 2 : 1;
}

export class FileOrder extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    return sorted.sort((a, b) => rank(a) - rank(b));
  }
}
