import type { Context } from 'aws-lambda';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';

const CONTEXT = { invokedFunctionArn: 'arn:aws:lambda:eu-central-1:123456789012:function:w' };

describe('a describe request to the widget', () => {
  let handler: (event: unknown, context: Context) => Promise<string>;

  beforeAll(async () => {
    vi.stubEnv('AWS_REGION', 'eu-central-1');
    vi.stubEnv('TABLE_NAME', 'none');
    vi.stubEnv('WORK_BUCKET', 'none');
    ({ handler } = await import('../../../lambdas/widget/live-progress.ts'));
  });

  afterAll(() => vi.unstubAllEnvs());

  it('returns Markdown with its parameters and an example, and reads nothing', async () => {
    const text = await handler({ describe: true }, CONTEXT as Context);
    expect(text).toMatch(/^## Live progress/);
    expect(text).toContain('### Parameters');
    expect(text).toContain('`batch_id`');
    expect(text).toContain('``` yaml');
  });
});
