import { randomBytes, randomUUID } from 'node:crypto';
import {
  CreateBucketCommand,
  DeleteBucketCommand,
  DeleteObjectsCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListMultipartUploadsCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  S3Client,
} from '@aws-sdk/client-s3';
import { afterAll, describe, expect, inject, it, vi } from 'vitest';
import { s3Files } from '../../lambdas/adapters/packs/s3-files.ts';
import { s3BlockStore } from '../../lambdas/adapters/s3/blocks.ts';
import { s3DeliveryBodies } from '../../lambdas/adapters/s3/delivery-bodies.ts';
import { s3JobRequests } from '../../lambdas/adapters/s3/job-requests.ts';
import { objectRequests } from '../../lambdas/adapters/s3/object-request.ts';
import { s3RasterCleanup } from '../../lambdas/adapters/s3/raster-cleanup.ts';
import { rasterKey } from '../../lambdas/adapters/s3/raster-key.ts';
import { s3FinishedRasters, s3RasterUploads } from '../../lambdas/adapters/s3/rasters.ts';
import { sdkObjects } from '../../lambdas/adapters/s3/sdk-objects.ts';
import { jobIdOf, newBatchId } from '../../lambdas/domain/identity.ts';
import { NO_AREA } from '../../lambdas/domain/job/planning/measured-area.ts';
import { jobGeometry, storedJob } from '../../lambdas/domain/job/requested-job.ts';
import { ROOT_CREDENTIALS } from '../../local/emulator/emulator.ts';
import { withDefaults } from '../../local/in-memory/files.ts';
import { SUMMARY } from '../support/api/batch-with-results.ts';
import { encodeBlock } from '../support/raster/encode-block.ts';

const service = inject('service');
const s3 = new S3Client({
  endpoint: service.endpoint_url,
  region: service.region,
  credentials: { accessKeyId: 'test', secretAccessKey: 'test' },
  forcePathStyle: true,
});
const buckets = { work: `work-${randomUUID()}`, results: `results-${randomUUID()}` };
for (const Bucket of Object.values(buckets)) await s3.send(new CreateBucketCommand({ Bucket }));

afterAll(async () => {
  for (const Bucket of Object.values(buckets)) {
    const { Contents = [] } = await s3.send(new ListObjectsV2Command({ Bucket }));
    const Objects = Contents.map(({ Key }) => ({ Key }));
    if (Objects.length > 0)
      await s3.send(new DeleteObjectsCommand({ Bucket, Delete: { Objects } }));
    await s3.send(new DeleteBucketCommand({ Bucket }));
  }
});

/** S3's minimum size of a part, except for the last part. */
const PART = 5 * 1024 ** 2;

describe('creation requests in S3', () => {
  it('list their jobs, each of which can be read alone', async () => {
    const requests = s3JobRequests(sdkObjects(s3, buckets.work));
    const batchId = newBatchId(new Date());
    const jobs = ['É', 'e'].map((name) => {
      const job = withDefaults({ name, year: 2020, polygon: null, properties: { name } });
      return storedJob(job, jobGeometry(job.polygon), NO_AREA);
    });
    await requests.write(batchId, jobs);
    const entries = await requests.entries(batchId);
    expect(entries).toMatchObject(jobs.map(({ head }) => head));
    const read = await Promise.all(entries.map((entry) => requests.job(batchId, entry)));
    expect(read).toEqual(jobs.map(({ job }) => job));
  });
});

describe('blocks in S3', () => {
  it('are read by range, with their index', async () => {
    const blocks = s3BlockStore(s3, buckets.work);
    const batchId = newBatchId(new Date());
    const size = { width: 64, height: 64, bands: 2, tileSize: 64, blockTiles: 1 };
    const cells = Float32Array.from({ length: 64 * 64 * 2 }, (_, i) => i);
    const block = encodeBlock({ ...size, cells, nodata: -9999 });
    await blocks.write(batchId, 3, 7, block);
    expect(await blocks.readIndex(batchId, 3, 7)).toEqual(block.index);
    const ref = blocks.ref(batchId, 3, 7);
    expect(ref).toBe(`work/${batchId}/3/7.block`);
    const some = new Uint8Array(11);
    await blocks.readInto(ref, 5, some);
    expect(some).toEqual(new Uint8Array(block.bytes.subarray(5, 16)));
    await blocks.readInto(ref, 5, new Uint8Array(0));
    const past = blocks.readInto(ref, block.bytes.length - 1, new Uint8Array(2));
    await expect(past).rejects.toThrow(/1 bytes/);
  });

  it.each([
    { tiles: 1, objects: 1 },
    { tiles: 16, objects: 2 },
  ])(
    'are stored as $objects objects if they have $tiles × $tiles tiles, and copied with their index',
    async ({ tiles, objects }) => {
      const blocks = s3BlockStore(s3, buckets.work);
      const batchId = newBatchId(new Date());
      const edge = 64 * tiles;
      const size = { width: edge, height: edge, bands: 3, tileSize: 64, blockTiles: tiles };
      const cells = Float32Array.from({ length: edge * edge * 3 }, (_, i) => i);
      const block = encodeBlock({ ...size, cells, nodata: -9999 });
      await blocks.write(batchId, 0, 7, block);
      const { KeyCount } = await s3.send(
        new ListObjectsV2Command({ Bucket: buckets.work, Prefix: `work/${batchId}/0/` }),
      );
      expect(KeyCount).toBe(objects);
      const copy = blocks.ref(batchId, 1, 7);
      expect(await blocks.copy(blocks.ref(batchId, 0, 7), copy)).toBe(true);
      expect(await blocks.readIndex(batchId, 1, 7)).toEqual(block.index);
      const bytes = new Uint8Array(block.bytes.length);
      await blocks.readInto(copy, 0, bytes);
      expect(Buffer.from(bytes).equals(block.bytes)).toBe(true);
      expect(await blocks.copy(blocks.ref(batchId, 0, 8), copy)).toBe(false);
    },
  );
});

/** A summary without a stock. Its unit must be escaped in metadata. */
const summary = {
  ...SUMMARY,
  lower: 1e-7,
  unit: 'µg/m³',
  stock: null,
  stock_per_ha: null,
  outside_share: null,
  outside_applicability_share: null,
};

describe('rasters in S3', () => {
  const finished = s3FinishedRasters(s3, buckets.results);
  const uploads = s3RasterUploads(s3, buckets);

  it('exist once they are complete', async () => {
    const batchId = newBatchId(new Date());
    const jobId = jobIdOf(batchId, 0);
    expect(await finished.find(batchId, jobId)).toBeNull();
    const upload = await uploads.begin(batchId, jobId, summary);
    await upload.uploadPart(1, new Uint8Array([1, 2, 3]));
    expect(await finished.find(batchId, jobId)).toBeNull();
    const etag = await upload.complete();
    expect(await finished.find(batchId, jobId)).toEqual({
      raster_bytes: 3,
      raster_etag: etag,
      summary,
    });
    expect(etag).toMatch(/^".+"$/);
    const head = await s3.send(
      new HeadObjectCommand({ Bucket: buckets.results, Key: rasterKey(batchId, jobId) }),
    );
    expect(head.ContentType).toMatch(/^image\/tiff/);
  });

  it('are assembled from parts and copied ranges, in any order', async () => {
    const batchId = newBatchId(new Date());
    const jobId = jobIdOf(batchId, 1);
    const blocks = s3BlockStore(s3, buckets.work);
    const copied = new Uint8Array(randomBytes(PART + 1_000));
    const index = encodeBlock({
      cells: new Float32Array(64 * 64),
      ...{ width: 64, height: 64, bands: 1, nodata: -1, tileSize: 64, blockTiles: 1 },
    }).index;
    await blocks.write(batchId, 1, 0, { bytes: copied, index });
    const upload = await uploads.begin(batchId, jobId, null);
    const [head, tail] = [new Uint8Array(randomBytes(PART)), new Uint8Array(randomBytes(10))];
    await upload.uploadPart(3, tail);
    await upload.copyPart(2, blocks.ref(batchId, 1, 0), 500, PART);
    await upload.uploadPart(1, head);
    expect(await finished.find(batchId, jobId)).toBeNull();
    await upload.complete();
    const { Body } = await s3.send(
      new GetObjectCommand({ Bucket: buckets.results, Key: rasterKey(batchId, jobId) }),
    );
    const bytes = Buffer.from((await Body?.transformToByteArray()) ?? []);
    const expected = Buffer.concat([head, copied.subarray(500, 500 + PART), tail]);
    expect(bytes.equals(expected)).toBe(true);
  });

  it('leave no open upload when they are aborted', async () => {
    const batchId = newBatchId(new Date());
    const upload = await uploads.begin(batchId, jobIdOf(batchId, 2), null);
    await upload.uploadPart(1, new Uint8Array(10));
    await upload.abort();
    const { Uploads = [] } = await s3.send(
      new ListMultipartUploadsCommand({ Bucket: buckets.results }),
    );
    expect(Uploads.filter(({ Key }) => Key?.includes(batchId))).toEqual([]);
  });

  describe('whose uploads are withdrawn', () => {
    vi.stubEnv('AWS_ENDPOINT_URL', service.endpoint_url);
    vi.stubEnv('AWS_REGION', service.region);
    // Functions use their role's session; this test uses the emulator's root user, without a session token.
    const request = objectRequests(buckets.results, async () => ROOT_CREDENTIALS);
    const withdrawals = s3RasterCleanup(buckets.results, request);
    afterAll(() => vi.unstubAllEnvs());

    it('can no longer be completed by another writer', async () => {
      const batchId = newBatchId(new Date());
      const jobId = jobIdOf(batchId, 3);
      const upload = await uploads.begin(batchId, jobId, null);
      await upload.uploadPart(1, new Uint8Array([1]));
      await withdrawals.abort(batchId, jobId, upload.id);
      await withdrawals.abort(batchId, jobId, upload.id);
      await expect(upload.complete()).rejects.toThrow(/upload/i);
      expect(await finished.find(batchId, jobId)).toBeNull();
    });

    it('are kept if one of the uploads was completed before', async () => {
      const batchId = newBatchId(new Date());
      const jobId = jobIdOf(batchId, 5);
      const killed = await uploads.begin(batchId, jobId, null);
      await killed.uploadPart(1, new Uint8Array([1]));
      const upload = await uploads.begin(batchId, jobId, null);
      await upload.uploadPart(1, new Uint8Array([1]));
      await upload.complete();
      for (const { id } of [killed, upload]) await withdrawals.abort(batchId, jobId, id);
      const { Uploads = [] } = await s3.send(
        new ListMultipartUploadsCommand({ Bucket: buckets.results }),
      );
      expect(Uploads.filter(({ Key }) => Key?.includes(batchId))).toEqual([]);
      expect(await finished.find(batchId, jobId)).not.toBeNull();
    });

    it('can be removed even after completion, and removed again', async () => {
      const batchId = newBatchId(new Date());
      const jobId = jobIdOf(batchId, 4);
      const upload = await uploads.begin(batchId, jobId, null);
      await upload.uploadPart(1, new Uint8Array([1]));
      await upload.complete();
      await withdrawals.abort(batchId, jobId, upload.id);
      await withdrawals.remove(batchId, jobId);
      await withdrawals.remove(batchId, jobId);
      expect(await finished.find(batchId, jobId)).toBeNull();
    });
  });
});

describe('a covariate in S3', () => {
  const Key = 'covariates/clay.tif';
  const href = `s3://${buckets.work}/${Key}`;
  const put = (Body: string) => s3.send(new PutObjectCommand({ Bucket: buckets.work, Key, Body }));
  const textOf = (bytes: Uint8Array) => new TextDecoder().decode(bytes);

  it('is read in ranges', async () => {
    await put('sand, silt and clay');
    const files = s3Files(s3);
    expect(await files.readSize(href)).toBe(19);
    expect(textOf(await files.readRange(href, 6, 4))).toBe('silt');
    expect(textOf(await files.readRange(href, 15, 100))).toBe('clay');
    expect(await files.readRange(href, 100, 5)).toHaveLength(0);
  });

  it('is rejected if it changes while it is read', async () => {
    await put('sand, silt and clay');
    const files = s3Files(s3);
    await files.readSize(href);
    await put('clay, silt and sand');
    await expect(files.readRange(href, 6, 4)).rejects.toMatchObject({
      name: 'PackFileUnavailable',
      reason: 'it changed while it was read',
    });
    expect(textOf(await files.readRange(href, 0, 4))).toBe('clay');
  });

  it('is reported if it does not exist', async () => {
    await expect(s3Files(s3).readSize(`s3://${buckets.work}/none.tif`)).rejects.toMatchObject({
      name: 'PackFileUnavailable',
      reason: 'there is no such object',
      transient: false,
    });
  });
});

describe('the body of a delivery in S3', () => {
  it('is the same for concurrent writers and for later readers', async () => {
    const bodies = s3DeliveryBodies(s3, buckets.work);
    const [batchId, eventId] = [newBatchId(new Date()), randomUUID()];
    expect(await bodies.read(batchId, eventId)).toBeNull();
    const kept = await Promise.all(
      ['one', 'two', 'three'].map((text) => bodies.keep(batchId, eventId, Buffer.from(text))),
    );
    const texts = new Set(kept.map((body) => Buffer.from(body).toString('utf8')));
    expect(texts.size).toBe(1);
    expect(await bodies.read(batchId, eventId)).toEqual(kept[0]);
  });
});
