import { describe, expect, it } from 'vitest';
import { PROBLEM_TYPES } from '../../../../lambdas/api/http/problem-types.ts';
import { openApiDocument } from '../../../../lambdas/api/specification/document.ts';
import type { OpenApiDocument } from '../../../../lambdas/api/specification/openapi.ts';
import { anchorOf } from '../../../../lambdas/api/specification/reference/markdown.ts';
import { writeReference } from '../../../../lambdas/api/specification/reference/reference.ts';
import { referencePage } from '../../../../lambdas/api/specification/reference/reference-page.ts';
import { JOB_ERROR_CODES, JOB_WARNING_CODES } from '../../../../lambdas/domain/job/job.ts';
import { inMemoryService } from '../../../support/api/service.ts';

const { docs, openApi, problemPage } = inMemoryService();
const served = await docs({ path: '/docs', tenant: null });
const page = { ...served, text: served.text.replace(/>\n+</g, '><') };

const sectionOf = (anchor: string) =>
  page.text
    .split('<details class="section">')
    .find((text) => text.includes(`<div id="${anchor}">`)) ?? '';

describe('the reference as a page', () => {
  it('shows every operation, type and problem of the document', async () => {
    const { body } = await openApi({ path: '/openapi.json', tenant: null });
    const document = body as OpenApiDocument;
    for (const [path, item] of Object.entries(document.paths)) {
      for (const method of Object.keys(item)) {
        expect(page.text).toContain(`<code>${method.toUpperCase()} ${path}</code>`);
      }
    }
    for (const name of Object.keys(document.components.schemas)) {
      expect(page.text).toContain(`>${name} type</h3>`);
    }
    for (const slug of Object.keys(PROBLEM_TYPES)) expect(page.text).toContain(slug);
  });

  it('has exactly one target for each link', () => {
    const ids = [...page.text.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id);
    expect(new Set(ids).size).toBe(ids.length);
    const links = [...page.text.matchAll(/href="#([^"]+)"/g)].map(([, id]) => id);
    expect(links.length).toBeGreaterThan(10);
    expect(ids).toEqual(expect.arrayContaining(links));
  });

  it('lists each section in its table of contents, for wide and narrow screens', () => {
    const headings = [...page.text.matchAll(/<(?:div|h3) id="([^"]+)"/g)].map(([, id]) => id);
    const lists = [...page.text.matchAll(/<nav.*?<\/nav>/gs)].map(([nav]) => nav);
    expect(lists).toHaveLength(2);
    for (const nav of lists) {
      expect([...nav.matchAll(/href="#([^"]+)"/g)].map(([, id]) => id)).toEqual(headings);
    }
  });

  it('links operations to their types and back', () => {
    const section = sectionOf('create-a-batch');
    const id = (name: string) => anchorOf(`${name} type`);
    const [request, response] = [id('CreateBatch'), id('BatchCreated')];
    expect(section).toContain(`Request: <a href="#${request}">`);
    expect(section).toContain(`Response: <a href="#${response}">`);
    for (const type of [request, response]) {
      const link = `<h3 id="${type}">.*?<p>Used by <a href="#create-a-batch">`;
      expect(section).toMatch(new RegExp(link, 's'));
    }
    expect(section).toContain(`<h3 id="${id('JobRequest')}">`);
    const status = sectionOf('batch-status');
    expect(status).toContain(`<h3 id="${id('BatchStatus')}">`);
  });

  it('explains how to verify a webhook, and each error code', () => {
    const webhook = sectionOf('a-batch-has-finished');
    expect(webhook).toContain('href="#verify-a-webhook"');
    expect(webhook).toContain('href="#error-codes"');
    for (const code of [...JOB_ERROR_CODES, ...JOB_WARNING_CODES]) {
      expect(page.text).toMatch(new RegExp(`<tr><td><code>${code}</code></td><td>[^<]`));
    }
  });

  it('explains each response header', async () => {
    const { body } = await openApi({ path: '/openapi.json', tenant: null });
    const responses = Object.values((body as OpenApiDocument).paths)
      .flatMap((item) => Object.values(item))
      .flatMap(({ responses }) => Object.values(responses));
    const names = new Set(responses.flatMap(({ headers }) => Object.keys(headers ?? {})));
    expect(names).toContain('X-RateLimit-Reset-Jobs');
    for (const name of names) {
      expect(page.text).toMatch(
        new RegExp(`<tr><td><code>${name}</code></td><td>[^\n]{1,60}</td><td>(?!</td>)`),
      );
    }
  });

  it('shows the default of a parameter, and which values are dates and times', () => {
    expect(page.text).toMatch(/<code>limit<\/code><\/td><td>query<\/td><td>[^<]*default <code>20</);
    expect(page.text).toMatch(/<code>jobs<\/code><\/td><td>query<\/td>.*default <code>all</);
    expect(page.text).toContain('<code>day</code></td><td>date</td>');
    expect(page.text).toContain('<code>resets_at</code></td><td>time</td>');
  });

  it('loads no resources and runs no scripts', () => {
    expect(page.text).not.toMatch(/<(script|img|link|iframe|form)|src=|@import|url\(/i);
    expect(page.headers['Content-Security-Policy']).toMatch(/^default-src 'none'/);
  });

  it('has the style of the problem pages', async () => {
    const problem = await problemPage({
      path: '/docs/problems/validation',
      parameters: { slug: 'validation' },
      tenant: null,
    });
    const styleOf = (text: string) => /<style>.*<\/style>/s.exec(text)?.[0];
    expect(styleOf(problem.text)).toBe(styleOf(page.text));
    expect(styleOf(page.text)).toContain('color-scheme:light dark');
  });
});

describe.each([
  ['v1', 'https://soil.example'],
  ['v2', 'https://proxy.example/soil'],
  ['v2', 'http://127.0.0.1:8001'],
  ['v2', 'https://proxy.example/a&b"c'],
  ['v2', ''],
] as const)('the reference of %s at "%s"', (deployment, baseUrl) => {
  const described = openApiDocument({ deployment, baseUrl, version: '1.2.3' });
  const variables = { deployment, base_url: baseUrl };

  it('has a document that matches the definitions', async () => {
    const { text } = await openApi({ path: '/openapi.json', tenant: null, variables });
    expect(text).toBe(JSON.stringify(described));
  });

  it('has a page that shows this document', async () => {
    const { text } = await docs({ path: '/docs', tenant: null, variables });
    expect(text).toContain(`<body>\n${referencePage(writeReference(described))}\n</body>`);
  });
});

describe('the document over HTTP', () => {
  it("names the request's base URL as its server", async () => {
    const { body, headers } = await openApi({ path: '/openapi.json', tenant: null });
    expect((body as OpenApiDocument).servers).toEqual([
      { url: 'https://abc123.execute-api.eu-central-1.amazonaws.com/live', description: 'V2' },
    ]);
    const kept = { 'If-None-Match': String(headers['ETag']) };
    expect((await openApi({ path: '/openapi.json', tenant: null, headers: kept })).status).toBe(
      304,
    );
  });

  it('describes V1 on V1', async () => {
    const variables = { deployment: 'v1' };
    const { body } = await openApi({ path: '/openapi.json', tenant: null, variables });
    expect((body as OpenApiDocument).servers[0]?.description).toBe('V1');
  });
});
