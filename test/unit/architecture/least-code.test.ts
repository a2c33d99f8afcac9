import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { findFilesBehind } from './imports.ts';

const filesOf = (handler: string) => [...findFilesBehind(`lambdas/api/functions/${handler}.ts`)];

function countLines(files: readonly string[]): number {
  return files.reduce((lines, file) => lines + readFileSync(file, 'utf8').split('\n').length, 0);
}

it('the file open.ts imports fewer than 5,000 lines, and neither the OpenAPI document nor DynamoDB', () => {
  const files = filesOf('open');
  expect(files).toContain('lambdas/api/routes.ts');
  expect(files.filter((file) => /specification\/(document|schemas)|dynamodb/.test(file))).toEqual(
    [],
  );
  expect(countLines(files)).toBeLessThan(5_000);
});

it('indirect imports are counted', () => {
  expect(filesOf('batches')).toContain('lambdas/domain/job/stock.ts');
  expect(countLines(filesOf('batches'))).toBeGreaterThan(10_000);
});
