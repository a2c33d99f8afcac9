import { expect, inject, it } from 'vitest';
import * as z from 'zod';
import { printedBy } from './operator-command.ts';

const service = inject('service');

const report = z.object({
  stage: z.literal('local'),
  region: z.literal(service.region),
  judgements: z.array(z.object({ about: z.string(), verdict: z.string(), says: z.string() })),
});

it('`npm run preflight` reads an account, and says what it could not see', async () => {
  const { judgements } = report.parse(await printedBy('preflight'));
  const of = (about: string) => judgements.find((one) => one.about === about);
  expect(of('CDK bootstrap')).toMatchObject({
    verdict: 'fine',
    says: expect.stringMatching(/^version \d+$/),
  });
  expect(of('stacks')?.says).toMatch(/SoilBatch-local-Stateful (CREATE|UPDATE)_COMPLETE/);
  expect(of('functions at once')?.says).toMatch(/of which the stage uses \d+ at most/);
  expect(of('IAM users')).toMatchObject({ verdict: 'fine' });
  // The emulator has no Service Quotas.
  for (const about of ['open map runs', 'state transitions', 'regional APIs']) {
    expect(of(about)?.verdict, about).toBe('unseen');
  }
});
