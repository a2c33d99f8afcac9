import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Theme, type View, widgetPage } from '../../../lambdas/widget/widget-page.ts';
import { openBrowser } from '../../support/browser.ts';
import { dashboardAround } from '../../support/widget/dashboard.ts';
import { aDetail, aJob, aPatchBatchMap, aRunningBatch, runningBatches } from './views.ts';

const ENDPOINT = 'arn:aws:lambda:eu-central-1:123456789012:function:LiveProgress';
const WIDTHS = [1_180, 588, 360] as const;
const THEMES = ['light', 'dark'] as const;

let browser: Browser;
beforeAll(async () => {
  browser = await openBrowser();
});
afterAll(() => browser.close());

/** A view as a dashboard shows it; records any script of it that runs. */
async function shown(view: View, theme: Theme = 'light', width = 1_180): Promise<Page> {
  const page = await browser.newPage({ viewport: { width, height: 600 } });
  page.on('dialog', (dialog) => {
    throw new Error(`a script of the page opened a dialog: ${dialog.message()}`);
  });
  await page.setContent(dashboardAround(widgetPage(view, theme, ENDPOINT), theme));
  await page.addScriptTag({ path: 'test/integration/widget/in-page.js' });
  return page;
}

const overview: View = { kind: 'board', batches: runningBatches() };
const detail: View = { kind: 'batch', detail: aDetail() };
const large: View = {
  kind: 'batch',
  detail: aDetail({
    jobs: Array.from({ length: 1_000 }, (_, index) => aJob(index, { status: 'completed' })),
    shown: aRunningBatch({
      total: 1_000,
      completed: 990,
      failed: 3,
      processing: 7,
      ageSeconds: 9_000,
    }),
    patchBatchMap: aPatchBatchMap(20, 200),
  }),
};

describe('the page of running batches', () => {
  it('shows the progress, rate, time left and failures of each batch', async () => {
    const page = await shown(overview);
    const [first] = await page.locator('.row:not(.names)').all();
    const text = (await first?.textContent()) ?? '';
    expect(text).toContain('621 of 1,000 jobs');
    expect(text).toContain('62 %');
    expect(text).toMatch(/\d+ min \d\d s/);
    expect(await first?.locator('.alert').textContent()).toBe('9');
    await page.close();
  });

  it('says that nothing is running', async () => {
    const page = await shown({
      kind: 'board',
      batches: runningBatches({ running: [], totalRunning: 0, totalPending: 0 }),
    });
    expect(await page.locator('.calm').textContent()).toContain('Nothing is running.');
    await page.close();
  });

  it('fills its bars in proportion to the work done', async () => {
    const page = await shown(overview);
    const [bar] = await page.locator('.bar').all();
    const width = (await bar?.boundingBox())?.width ?? 0;
    const parts = await bar?.locator('i').all();
    const widths = await Promise.all(
      (parts ?? []).map(async (part) => (await part.boundingBox())?.width ?? 0),
    );
    const filled = widths.reduce((sum, part) => sum + part, 0) / width;
    expect(filled).toBeCloseTo(runningBatches().running[0]?.progress ?? 0, 2);
    await page.close();
  });
});

describe.each(THEMES)('in %s', (theme) => {
  it.each([
    ['the running batches', overview],
    ['a batch', detail],
    ['a batch of 1,000 jobs', large],
  ] as const)('%s fits every width, and its text can be read', async (_, view) => {
    for (const width of WIDTHS) {
      const page = await shown(view, theme, width);
      expect(await page.evaluate('inPage.width()')).toBeLessThanOrEqual(width);
      const faint = await page.evaluate('inPage.textsOfContrastBelow(4.5)');
      expect(faint).toEqual([]);
      await page.close();
    }
  });
});

describe('a link', () => {
  it('has the dashboard call this function for one batch, and back for all', async () => {
    const onOverview = await shown(overview);
    const [action] = await onOverview.locator('cwdb-action').all();
    expect(await action?.getAttribute('endpoint')).toBe(ENDPOINT);
    expect(await action?.getAttribute('action')).toBe('call');
    expect(JSON.parse((await action?.textContent()) ?? '')).toEqual({
      batch_id: (overview as { batches: ReturnType<typeof runningBatches> }).batches.running[0]
        ?.batch.batchId,
    });
    const onBatch = await shown(detail);
    expect(JSON.parse((await onBatch.locator('cwdb-action').first().textContent()) ?? '')).toEqual(
      {},
    );
    await Promise.all([onOverview.close(), onBatch.close()]);
  });
});

describe('text of clients', () => {
  const HOSTILE = [
    '<script>alert(1)</script>',
    '<img src=x onerror=alert(2)>',
    '"><svg onload=alert(3)>',
    "' onmouseover='alert(4)",
    '</title></svg><script>alert(5)</script>',
    '</style><script>alert(6)</script>',
    '</cwdb-action><cwdb-action action="call" endpoint="arn:aws:lambda:evil">{}</cwdb-action>',
    '<iframe srcdoc="<script>parent.alert(7)</script>">',
    '&lt;script&gt;alert(8)&lt;/script&gt;',
    '`+alert(9)+`',
    'javascript:alert(10)',
  ];

  it.each(HOSTILE)('is shown as text everywhere: %s', async (text) => {
    const error = { code: 'internal', message: text } as const;
    const patchBatches = aPatchBatchMap(2, 1).patchBatches.map((patchBatch) => ({
      ...patchBatch,
      failureReason: text,
    }));
    const hostile = await shown({
      kind: 'batch',
      detail: aDetail({
        metadata: text,
        jobs: [
          aJob(0, { name: text, status: 'failed', error, updatedAt: '2026-03-04T10:00:00.000Z' }),
          aJob(1, { name: text, status: 'processing' }),
        ],
        patchBatchMap: { ...aPatchBatchMap(2, 1), patchBatches, jobIndex: 0, model: text },
        shown: aRunningBatch({
          total: 2,
          completed: 0,
          failed: 1,
          processing: 1,
          ageSeconds: 9,
          tenant: text,
        }),
      }),
    });
    const harmless = await shown({
      kind: 'batch',
      detail: aDetail({
        metadata: 'x',
        jobs: [
          aJob(0, {
            name: 'x',
            status: 'failed',
            error: { ...error, message: 'x' },
            updatedAt: '2026-03-04T10:00:00.000Z',
          }),
          aJob(1, { name: 'x', status: 'processing' }),
        ],
        patchBatchMap: {
          ...aPatchBatchMap(2, 1),
          patchBatches: patchBatches.map((patchBatch) => ({ ...patchBatch, failureReason: 'x' })),
          jobIndex: 0,
          model: 'x',
        },
        shown: aRunningBatch({
          total: 2,
          completed: 0,
          failed: 1,
          processing: 1,
          ageSeconds: 9,
          tenant: 'x',
        }),
      }),
    });
    // The same elements with the same attributes, whatever the text: none of it became markup.
    expect(await hostile.evaluate('inPage.skeleton()')).toEqual(
      await harmless.evaluate('inPage.skeleton()'),
    );
    expect(await hostile.locator('.board').textContent()).toContain(text.trim().slice(0, 39));
    await Promise.all([hostile.close(), harmless.close()]);
  });

  it('does not affect the writing direction around it, and is shortened', async () => {
    const page = await shown({
      kind: 'batch',
      detail: aDetail({ metadata: `\u202Egnorw\u0000\u2066 ${'long '.repeat(1_000)}` }),
    });
    const text = (await page.locator('.card p.mono').textContent()) ?? '';
    expect(text).not.toMatch(/[\u202E\u2066\0]/);
    expect(text).toContain('…');
    expect(text).toHaveLength(400);
    await page.close();
  });
});
