import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { expect, inject, it } from 'vitest';
import { inChromium, inNode } from '../support/client/runtimes.ts';
import type { Scenarios } from '../support/client/scenarios.ts';

const service = inject('service');
const example: { readonly jobs: readonly { readonly name: string; readonly polygon: object }[] } =
  JSON.parse(readFileSync('examples/meuse-batch.json', 'utf8'));
const NAMES = example.jobs.map(({ name }) => name);
const FIELDS = {
  type: 'FeatureCollection',
  features: example.jobs.map(({ name: id, polygon: geometry }) => ({
    type: 'Feature',
    properties: { id },
    geometry,
  })),
} as const;

/** The same run for both runtimes: the service knows it by its idempotency keys, on either deployment. */
const RUN = `client-${Date.now()}`;
const batches = new Set<string>();

it.each([
  ['Node, on V1', inNode, service.v1_url],
  ['a page, on V2', inChromium, service.v2_url],
] as const)(
  'the client submits a run once and downloads its results in %s',
  async (_, start, baseUrl) => {
    const deployed = { baseUrl, apiKey: service.api_key };
    const runtime = await start();
    try {
      const submitted = await runtime.run('submit', [deployed, FIELDS, RUN]);
      expect(submitted.error).toBeUndefined();
      const [batchId = ''] = (submitted.value as Awaited<ReturnType<Scenarios['submit']>>)
        .submitted;
      batches.add(batchId);
      expect(batches.size).toBe(1);

      const { value, error } = await runtime.run('download', [deployed, batchId]);
      expect(error).toBeUndefined();
      const { files, ...found } = value as Awaited<ReturnType<Scenarios['download']>>;
      expect(found).toEqual({
        ...{ status: 'partial', jobs: NAMES, rows: NAMES },
        ...{ lines: NAMES.length + 1, skipped: [0, 2] },
      });
      expect(Object.values(files).sort()).toEqual((await linkedHashes(batchId)).sort());
    } finally {
      await runtime.close();
    }
  },
);

/** Hashes the rasters, downloaded without the client. */
async function linkedHashes(batchId: string): Promise<string[]> {
  const status = `${service.v2_url}/v1/batch/${batchId}/status?jobs=completed`;
  const response = await fetch(status, { headers: { Authorization: `Bearer ${service.api_key}` } });
  const { jobs } = (await response.json()) as { jobs: { signed_cog_url: string }[] };
  return Promise.all(
    jobs.map(async ({ signed_cog_url }) => {
      const raster = await (await fetch(signed_cog_url)).arrayBuffer();
      return createHash('sha256').update(new Uint8Array(raster)).digest('hex');
    }),
  );
}
