import { describe, expect, it } from 'vitest';
import { modelsResponse } from '../../../lambdas/api/contract/models.ts';
import { inMemoryService } from './service.ts';

const { models } = inMemoryService();

describe('GET /v1/models', () => {
  it('tells what each model predicts, where, how well and under which licences', async () => {
    const answer = await models({ path: '/v1/models' });
    const [meuse] = modelsResponse.parse(answer.body).models;
    expect(meuse).toMatchObject({
      id: 'meuse-soc',
      property: { unit: 'kg/m3', depth_cm: [0, 20] },
      temporal: 'static',
      grid: { crs: 'EPSG:28992', cell_size: 10 },
    });
    expect(meuse?.bands.map(({ name, level }) => [name, level])).toEqual([
      ['mean', null],
      ['q05', 0.05],
      ['q95', 0.95],
    ]);
  });

  it('is kept until the packs change', async () => {
    const { headers } = await models({ path: '/v1/models' });
    const again = await models({
      path: '/v1/models',
      headers: { 'If-None-Match': String(headers['ETag']) },
    });
    expect(again).toMatchObject({ status: 304, text: '' });
  });
});
