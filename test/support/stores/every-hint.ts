import type { ScanPage } from '../../../lambdas/domain/reconcile/index-scan.ts';

export async function collectHints<Hint>(pages: AsyncIterable<ScanPage<Hint>>): Promise<Hint[]> {
  const all: Hint[] = [];
  for await (const { hints } of pages) all.push(...hints);
  return all;
}
