import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { createPackCatalogue } from '../../../engine/model/pack/catalogue.ts';
import type { Manifest } from '../../../engine/model/pack/manifest.ts';
import { LOCAL_FOLDER } from '../../../local/paths.ts';
import { bands, completedResult, PROVENANCE, slope } from '../../support/api/completed-result.ts';
import { BASE_URL } from '../../support/api/gateway-event.ts';
import { creationBody, inMemoryService } from '../../support/api/service.ts';
import { raster, writeCog } from '../../support/raster/builders.ts';

const PYTHON = path.join(LOCAL_FOLDER, 'venv', 'bin', 'python');
const CHECK = path.join(import.meta.dirname, 'check_stac.py');

function check(item: object) {
  const input = JSON.stringify(item);
  // The traceback for a rejected Item belongs in the error, not in the tests' output.
  return JSON.parse(execFileSync(PYTHON, [CHECK], { input, encoding: 'utf8', stdio: 'pipe' }));
}

describe('the STAC Item of a result', () => {
  it.each([{ deployment: 'v1' }, { deployment: 'v2' }])(
    'is valid in pystac: %j',
    async (variables) => {
      const { batchId, jobId, item } = await completedResult();
      const { status, headers, body } = await item({ variables });
      expect(status).toBe(200);
      expect(headers['Content-Type']).toBe('application/geo+json');
      const job = `${BASE_URL}/v1/batch/${batchId}/jobs/${jobId}`;
      const checked = check(Object(body));
      expect(checked).toMatchObject({
        // This is the period of the data; the request is for another year.
        start: '1990-01-01T00:00:00+00:00',
        end: '1990-12-31T23:59:59+00:00',
        band: {
          name: 'mean',
          unit: 'kg/m3',
          data_type: 'float32',
          nodata: -9999,
          statistics: {
            minimum: 20,
            maximum: expect.closeTo(54.8, 4),
            valid_percent: expect.any(Number),
          },
        },
        assets: {
          data: `${job}/result`,
          preview: `${job}/preview`,
          style: `${BASE_URL}/v1/models/meuse-soc@1.0.0/style.qml`,
        },
      });
      expect(checked.schemas).toHaveLength(6);
    },
  );

  it("states the raster's position", async () => {
    const { body } = await (await completedResult()).item();
    expect(body).toMatchObject({
      properties: {
        'proj:code': 'EPSG:28992',
        'proj:shape': [200, 152],
        'proj:transform': [10, 0, 178_440, 0, -10, 333_760],
        'proj:bbox': [178_440, 331_760, 179_960, 333_760],
      },
    });
  });

  it('is rejected by pystac if a field of an extension is wrong', async () => {
    const { body } = await (await completedResult()).item();
    const item = Object(body);
    const wrong = { ...item, properties: { ...item.properties, 'proj:shape': ['many'] } };
    expect(() => check(wrong)).toThrow(/proj:shape/);
  });

  it("states the versions and digests that the raster's tags state", async () => {
    const { body } = await (await completedResult()).item();
    const { geometry, properties } = Object(body);
    const digest = (value: unknown) =>
      createHash('sha256').update(JSON.stringify(value)).digest('hex');
    expect(properties['processing:software']).toEqual({
      'soil-batch': PROVENANCE.version,
      'meuse-soc': '1.0.0',
    });
    expect(properties).toMatchObject({
      'soil:model_sha256': PROVENANCE.pack,
      'soil:covariate_files': PROVENANCE.covariateFiles,
      'soil:polygon_sha256': digest(JSON.parse(String(creationBody())).jobs[0].polygon),
      'soil:geometry_sha256': digest(geometry),
    });
  });

  it('has the digest of the polygon even if the raster has none', async () => {
    const { service, batchId, jobId, item } = await completedResult();
    const tagged = await item();
    service.rasters.set(`${batchId}/${jobId}`, await writeCog(raster({ bands, tags: {} }), slope));
    const { properties } = Object((await item()).body);
    expect(properties['soil:polygon_sha256']).toBe(
      Object(tagged.body).properties['soil:polygon_sha256'],
    );
  });

  it("has the model's license, citations and unsuitable purposes", async () => {
    const [pack = expect.fail('no pack')] = inMemoryService().stores.catalogue.packs;
    const itemOf = async (changes: Partial<Manifest>) => {
      const manifest = { ...pack.manifest, ...changes };
      const catalogue = async () => createPackCatalogue([{ ...pack, manifest }]);
      const { item } = await completedResult(null, inMemoryService({ catalogue }));
      const { body } = await item();
      expect(check(Object(body)).schemas).toHaveLength(6);
      return Object(body).properties;
    };
    const samples = { part: 'samples', license: 'CC-BY-4.0', citation: 'Jansen (2023) Cores' };
    const relief = { part: 'relief', license: 'CC0-1.0', citation: 'Survey (2020)' };
    const model = { ...samples, part: 'model' };
    expect(await itemOf({ licenses: [samples, model] })).toMatchObject({
      license: 'CC-BY-4.0',
      'sci:citation': 'Jansen (2023) Cores',
    });
    expect(await itemOf({ licenses: [samples, relief], not_for: ['"<trees>"'] })).toMatchObject({
      license: 'other',
      'soil:licenses': [
        { part: 'samples', license: 'CC-BY-4.0' },
        { part: 'relief', license: 'CC0-1.0' },
      ],
      'sci:citation': 'Jansen (2023) Cores; Survey (2020)',
      'soil:not_for': ['"<trees>"'],
    });
  });

  it('names the model from which it is derived', async () => {
    const { body } = await (await completedResult()).item();
    expect(Object(body).links).toContainEqual(
      expect.objectContaining({ rel: 'derived_from', 'mlm:name': 'meuse-soc@1.0.0' }),
    );
  });
});
