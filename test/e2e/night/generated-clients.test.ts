import { expect, inject, it } from 'vitest';
import {
  type GeneratedClient,
  openApiPythonClient,
  openApiTypescript,
  withDocument,
} from '../../support/generators.ts';

const service = inject('service');

const generators: readonly (readonly [string, (folder: string) => Promise<GeneratedClient>])[] = [
  ['openapi-typescript, called by openapi-fetch', openApiTypescript],
  ['openapi-python-client', openApiPythonClient],
];

/** The test uses V2's document, which contains V1's. */
it.each(generators)(
  'a generated client compiles and calls the service: %s',
  async (_, generate) => {
    const document: unknown = await (await fetch(`${service.v2_url}/openapi.json`)).json();
    await withDocument(document, async (folder) => {
      const client = await generate(folder);
      expect(await client.run(service.v2_url, service.api_key)).toEqual({
        status: 'partial',
        jobs: [
          { name: null, status: 'completed', error_code: null },
          { name: null, status: 'completed', error_code: null },
          { name: 'field-7', status: 'completed', error_code: null },
          { name: null, status: 'failed', error_code: 'outside_coverage' },
        ],
        data_period: [1990, 1993],
        patch_batches: 1,
        result_starts_as: 'II',
        coverage: 'Polygon',
        problem: [422, '/jobs'],
        listed: true,
        finished_after_creation: true,
      });
    });
  },
);
