import { expect, it } from 'vitest';
import { bootstrapOf } from '../../../../bin/preflight/bootstrap.ts';

it('deploys by the bootstrap that all CDK applications share, unless cdk.json names another', () => {
  expect(bootstrapOf({})).toEqual({ qualifier: 'hnb659fds', stack: 'CDKToolkit' });
  expect(bootstrapOf({ '@aws-cdk/core:bootstrapQualifier': 'soilbatch' })).toEqual({
    qualifier: 'soilbatch',
    stack: 'CDKToolkit-soilbatch',
  });
});
