import { describe, expect, it } from 'vitest';
import {
  describeUntried,
  explainFailure,
  formatRemedy,
  readUntried,
} from '../../../bin/deploy/untried.ts';
import { TLS } from '../../../lib/api/custom-domain.ts';

const list = readUntried();

describe('the list of untried parts of a deployment', () => {
  it('is printed completely before a deployment, in the order of docs/tests.md', () => {
    expect(list.length).toBeGreaterThan(5);
    expect(describeUntried(list).split('\n').slice(1)).toEqual(
      list.map(({ what }) => `  - ${what}`),
    );
  });

  it.each(list)(
    'states for each part a distinct error and a remedy without Markdown: $what',
    (row) => {
      expect(row.errors.length).toBeGreaterThan(0);
      expect(formatRemedy(row)).toMatch(/^[^`[\]]{8,}$/);
      for (const error of row.errors) {
        const reasons = [`Stack, Resource: before ${error} after`];
        expect(explainFailure(reasons, list, 'prod')).toContain(row.what);
      }
    },
  );

  it('names the security policy of the APIs', () => {
    expect(describeUntried(list)).toContain(TLS.securityPolicy.valueOf());
  });
});

describe('a failed deployment', () => {
  it.each([
    // Error messages of API Gateway and IAM.
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
  ])('is explained by the row that matches its first reason: %s', (reason, row) => {
    const explained = explainFailure(
      [`Stack, Resource: ${reason}`, 'Stack, Other: later'],
      list,
      'prod',
    );
    expect(explained).toContain(reason);
    expect(explained).toContain(list[row]?.what);
    const found = list[row];
    expect(explained).toContain(found === undefined ? 'a row' : formatRemedy(found));
    expect(explained).toContain('npm run deploy -- --stage prod');
  });

  it.each([[['Stack, Resource: Internal failure']], [[]]])(
    'is reported as unknown if no row matches: %j',
    (reasons) => {
      const explained = explainFailure(reasons, list, 'prod');
      for (const reason of reasons) expect(explained).toContain(reason);
      for (const { what } of list) expect(explained).not.toContain(what);
    },
  );
});
