import { describe, expect, it } from 'vitest';
import { inMemoryService } from '../../support/api/service.ts';

const { modelStyle } = inMemoryService();

function requestStyle(model: string, query: Readonly<Record<string, string>> = {}, headers = {}) {
  return modelStyle({
    path: `/v1/models/${model}/style.qml`,
    resource: '/v1/models/{model}/style.qml',
    parameters: { model },
    query,
    headers,
  });
}

describe('GET /v1/models/{model}/style.qml', () => {
  it.each(['meuse-soc', 'meuse-soc@1.0.0', 'meuse-soc%401.0.0'])(
    "shows the mean over the model's display range: %s",
    async (model) => {
      const { status, headers, text } = await requestStyle(model);
      expect(status).toBe(200);
      expect(headers).toMatchObject({
        'Content-Type': 'application/x-qgis-layer-settings',
        'Content-Disposition': 'attachment; filename="meuse-soc@1.0.0_mean.qml"',
      });
      expect(text).toContain('type="singlebandpseudocolor" band="1"');
      expect(text).toContain('classificationMin="6" classificationMax="110"');
      expect(text).toContain('label="110 kg/m³"');
    },
  );

  it('shows the band that the query names', async () => {
    const { headers, text } = await requestStyle('meuse-soc', { band: 'q95' });
    expect(headers['Content-Disposition']).toContain('_q95.qml');
    expect(text).toContain('band="3"');
  });

  it('shows the range that the query gives', async () => {
    const { text } = await requestStyle('meuse-soc', { minimum: '-2.5e1', maximum: '46.2' });
    expect(text).toContain('classificationMin="-25" classificationMax="46.2"');
    expect(text).toContain('<limits>None</limits>');
  });

  it.each([
    { minimum: '5' },
    { maximum: '5' },
    { minimum: '5', maximum: '5' },
    { minimum: '0', maximum: 'Infinity' },
    { minimum: '0x1', maximum: '1e31' },
    { minimum: '1.2.3', maximum: '5' },
  ])('rejects the range %j', async (query) => {
    const { status, body } = await requestStyle('meuse-soc', query);
    expect(status).toBe(400);
    expect(body).toMatchObject({ type: expect.stringContaining('parameter-invalid') });
  });

  it('rejects a band that the model does not have, and lists the valid bands', async () => {
    const { status, body } = await requestStyle('meuse-soc', { band: '<b>' });
    expect(status).toBe(400);
    expect(body).toMatchObject({
      errors: [{ pointer: '/band', message: expect.stringContaining('mean, q05, q95') }],
    });
  });

  it.each(['other', 'meuse-soc@9.9.9', '..', '%'])('responds 404 for: %s', async (model) => {
    const { status, body } = await requestStyle(model);
    expect(status).toBe(404);
    expect(body).toMatchObject({ type: expect.stringContaining('model-not-found') });
  });

  it('responds 304 while the model is unchanged', async () => {
    const { headers } = await requestStyle('meuse-soc');
    const again = await requestStyle('meuse-soc', {}, { 'If-None-Match': String(headers['ETag']) });
    expect(again).toMatchObject({ status: 304, text: '' });
  });
});
