import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { NewBatch } from 'soil-batch-client';
import { expect, inject, it } from 'vitest';
import { inChromium, inNode } from '../support/client/runtimes.ts';
import type { Scenarios } from '../support/client/scenarios.ts';

const service = inject('service');
const example: NewBatch = JSON.parse(readFileSync('examples/meuse-batch.json', 'utf8'));
const NAMES = example.jobs.map(({ name }) => name);

/** The same key for both runtimes: either deployment finds the batch by its idempotency key. */
const NAME = `client-${Date.now()}`;
const batches = new Set<string>();

it.each([
  ['Node, on V1', inNode, service.v1_url],
  ['a page, on V2', inChromium, service.v2_url],
] as const)(
  'in %s, the client creates a batch once and downloads its results',
  async (_, start, baseUrl) => {
    const deployed = { baseUrl, apiKey: service.api_key };
    const runtime = await start();
    try {
      const creation = await runtime.run('create', [deployed, example, NAME]);
      expect(creation.error).toBeUndefined();
      const { created } = creation.value as Awaited<ReturnType<Scenarios['create']>>;
      batches.add(created);
      expect(batches.size).toBe(1);

      const { value, error } = await runtime.run('download', [deployed, created]);
      expect(error).toBeUndefined();
      const { rasters, ...found } = value as Awaited<ReturnType<Scenarios['download']>>;
      expect(found).toEqual({
        ...{ status: 'partial', jobs: NAMES, rows: NAMES, lines: NAMES.length + 1 },
      });
      expect(Object.values(rasters).sort()).toEqual((await hashLinkedRasters(created)).sort());
    } finally {
      await runtime.close();
    }
  },
);

/** Downloads the rasters without the client, and hashes them. */
async function hashLinkedRasters(batchId: string): Promise<string[]> {
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
