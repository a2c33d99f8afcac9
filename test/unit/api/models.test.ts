import { describe, expect, it } from 'vitest';
import { createPackCatalogue } from '../../../engine/model/pack/catalogue.ts';
import { readRequest } from '../../../lambdas/api/http/request.ts';
import { modelsOperation, modelsResponse } from '../../../lambdas/api/operations/models.ts';
import { gatewayEvent } from '../../support/api/gateway-event.ts';
import { inMemoryService } from '../../support/api/service.ts';
import { aManifest, aPack } from '../../support/model/builders.ts';

const { models } = inMemoryService();

describe('GET /v1/models', () => {
  it('returns the property, grid, coverage and bands of a model', async () => {
    const response = await models({ path: '/v1/models' });
    const [meuse] = modelsResponse.parse(response.body).models;
    expect(meuse).toMatchObject({
      id: 'meuse-soc',
      property: { unit: 'kg/m3', depth_cm: [0, 20] },
      temporal: 'static',
      grid: { crs: 'EPSG:28992', cell_size: 10 },
      coverage: { type: 'Polygon' },
    });
    expect(meuse?.grid.crs_proj4).toMatch(/^\+proj=sterea .*\+towgs84=565\.4171,/);
    expect(meuse?.bands.map(({ name, level }) => [name, level])).toEqual([
      ['mean', null],
      ['q05', 0.05],
      ['q95', 0.95],
    ]);
    expect(meuse?.bands.map(({ display_range }) => display_range)).toEqual(Array(3).fill([6, 110]));
  });

  it('returns unsuitable purposes, and the licenses and citations of the parts of a model', async () => {
    const licenses = [{ part: 'samples', license: 'CC-BY-4.0', citation: 'Jansen (2023) Cores' }];
    const packs = await Promise.all([
      aPack(aManifest({ licenses, not_for: ['single trees'] }), {}),
      aPack(aManifest({ id: 'silent' }), {}),
    ]);
    const operation = modelsOperation({ catalogue: async () => createPackCatalogue(packs) });
    const { body } = await operation(readRequest(gatewayEvent({ path: '/v1/models' })));
    const { models: found } = modelsResponse.parse(JSON.parse(body));
    expect(found).toMatchObject([{ licenses, not_for: ['single trees'] }, { not_for: [] }]);
  });

  it('returns the level of a quantile that is a separate target', async () => {
    const upper = { kind: 'target', index: 0, level: 0.95 } as const;
    const bands = [{ name: 'q95', description: 'upper bound', from: upper }];
    const pack = await aPack(aManifest({ bands }), {});
    const operation = modelsOperation({ catalogue: async () => createPackCatalogue([pack]) });
    const { body } = await operation(readRequest(gatewayEvent({ path: '/v1/models' })));
    const { models: found } = modelsResponse.parse(JSON.parse(body));
    expect(found[0]?.bands[0]?.level).toBe(0.95);
  });

  it('names the band with the mean, which need not be the first band without a level', async () => {
    const target = { kind: 'target', index: 0 } as const;
    const bands = [
      { name: 'class', description: 'most likely class', overviews: 'mode', from: target },
      { name: 'q05', description: 'lower bound', from: target },
      { name: 'mean', description: 'mean', from: target },
    ] as const;
    const packs = await Promise.all([
      aPack(aManifest({ bands: [...bands] }), {}),
      aPack(aManifest({ id: 'classes', bands: [bands[0]] }), {}),
    ]);
    const operation = modelsOperation({ catalogue: async () => createPackCatalogue(packs) });
    const { body } = await operation(readRequest(gatewayEvent({ path: '/v1/models' })));
    const { models: found } = modelsResponse.parse(JSON.parse(body));
    expect(found.map(({ mean_band }) => mean_band)).toEqual(['mean', null]);
  });

  it('reads the packs again after a failure, but not after a success', async () => {
    let asked = 0;
    const catalogue = async () => {
      asked += 1;
      if (asked === 1) throw new Error('the disk is slow');
      return createPackCatalogue([]);
    };
    const operation = modelsOperation({ catalogue });
    const ask = () => operation(readRequest(gatewayEvent({ path: '/v1/models' })));
    await expect(ask()).rejects.toThrow('slow');
    expect((await ask()).body).toBe('{"models":[]}');
    await ask();
    expect(asked).toBe(2);
  });

  it('responds 304 while the packs are unchanged', async () => {
    const { headers } = await models({ path: '/v1/models' });
    const again = await models({
      path: '/v1/models',
      headers: { 'If-None-Match': String(headers['ETag']) },
    });
    expect(again).toMatchObject({ status: 304, text: '' });
  });
});
