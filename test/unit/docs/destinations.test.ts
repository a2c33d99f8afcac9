import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { destination } from '../../../lambdas/api/operations/destination-fields.ts';
import { destinationPolicy } from '../../support/deployed/client-account.ts';

const [policy = '', creation = ''] = [
  ...readFileSync('docs/destinations.md', 'utf8').matchAll(/```json\n(.*?)```/gs),
].map(([, json]) => json);

it('docs/destinations.md has the permission policy of the end-to-end tests', () => {
  expect(JSON.parse(policy)).toEqual(destinationPolicy('your-bucket', 'your/prefix'));
});

it('docs/destinations.md has a destination that the API accepts, for the same bucket', () => {
  const { bucket, prefix } = destination.parse(JSON.parse(`{${creation}}`).destination);
  expect(`arn:aws:s3:::${bucket}/${prefix}/*`).toBe(JSON.parse(policy).Statement[0].Resource);
});
