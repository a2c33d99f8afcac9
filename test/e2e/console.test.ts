import { describe, expect, inject, it } from 'vitest';

const service = inject('service');

describe('the console of the deployed service', () => {
  it('serves the page for revalidation, and its files for a year', async () => {
    const page = await fetch(`${service.v2_url}/console`);
    expect(page.headers.get('cache-control')).toBe('no-cache');
    const [, script] = /src="(\.\/console\/app-\w+\.js)"/.exec(await page.text()) ?? [];
    const file = await fetch(new URL(`${script}`, page.url));
    expect(file.status).toBe(200);
    expect(file.headers.get('content-type')).toBe('text/javascript; charset=utf-8');
    expect(file.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
    const etag = `${page.headers.get('etag')}`;
    const again = await fetch(page.url, { headers: { 'If-None-Match': etag } });
    expect(again.status).toBe(304);
  });

  it('is only on V2, and V1 says where', async () => {
    const response = await fetch(`${service.v1_url}/console`);
    expect(response.status).toBe(404);
    expect(await response.text()).toContain(`${service.v2_url}/console`);
  });
});
