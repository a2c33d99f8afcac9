import { describe, expect, it } from 'vitest';
import { describeUntried, explainFailure, readUntried } from '../../../bin/deploy/untried.ts';
import { TLS } from '../../../lib/api/custom-domain.ts';

const list = readUntried();

describe('the list of untried parts of a deployment', () => {
  it('is printed whole before a deployment, in the order of docs/tests.md', () => {
    expect(list.length).toBeGreaterThan(5);
    expect(describeUntried(list).split('\n').slice(1)).toEqual(
      list.map(({ what }) => `  - ${what}`),
    );
  });

  it.each(list)('has a distinct error, and a command to continue with: $what', (row) => {
    expect(row.errors.length).toBeGreaterThan(0);
    expect(row.then).toMatch(/npm run (deploy|preflight) -- --stage/);
    // No row above it has the same error.
    for (const error of row.errors) {
      expect(explainFailure([`Stack, Resource: before ${error} after`], list)).toContain(row.what);
    }
  });

  it('names the policy that the APIs have', () => {
    expect(describeUntried(list)).toContain(TLS.securityPolicy.valueOf());
  });
});

describe('a failed deployment', () => {
  it.each([
    // As API Gateway and IAM word them.
    [
      'The role ARN does not have required permissions configured. Please grant trust permission for API Gateway',
      0,
    ],
    ['is not authorized to perform: ssm:GetParameters on resource: arn:aws:ssm:x', 1],
    [
      'is not authorized to perform: iam:CreateUser with an explicit deny in a service control policy',
      4,
    ],
    ['is not authorized to perform: sqs:CreateQueue on resource: arn:aws:sqs:x', 5],
  ])('is explained by the line that fits its first reason: %s', (reason, row) => {
    const explained = explainFailure([`Stack, Resource: ${reason}`, 'Stack, Other: later'], list);
    expect(explained).toContain(reason);
    expect(explained).toContain(list[row]?.what);
    expect(explained).toContain(list[row]?.then.replaceAll('`', ''));
  });

  it.each([[['Stack, Resource: Internal failure']], [[]]])(
    'says that no line fits, if none does: %j',
    (reasons) => {
      const explained = explainFailure(reasons, list);
      for (const reason of reasons) expect(explained).toContain(reason);
      for (const { what } of list) expect(explained).not.toContain(what);
    },
  );
});
