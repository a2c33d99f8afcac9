import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, inject, it } from 'vitest';
import { METADATA, requireAdvance } from '../../bin/smoke/example.ts';
import { checkRaster } from '../../bin/smoke/raster.ts';
import { checkAlteredUrls, checkValidity } from '../../bin/smoke/signed-url.ts';
import { estimateResponse } from '../../lambdas/api/operations/estimate-response.ts';
import { httpClient } from '../support/api/http-client.ts';
import { obtainContract } from '../support/api/published-document.ts';
import * as spec from '../support/api/spec-schemas.ts';
import {
  type BatchBody,
  EXAMPLE,
  type Finished,
  findJob,
  finishExample,
  SECRET,
  urlOf,
} from '../support/deployed/example-run.ts';

const service = inject('service');
const DAY_MS = 86_400_000;

describe.each([
  { deployment: 'v1' as const, baseUrl: service.v1_url },
  { deployment: 'v2' as const, baseUrl: service.v2_url },
])(
  'a batch of a whole flood plain, a field with a hole and a bow-tie on $deployment',
  ({ deployment, baseUrl }) => {
    const call = httpClient(baseUrl, service.api_key);
    const folder = mkdtempSync(join(tmpdir(), 'soil-batch-'));
    let finished: Finished;

    beforeAll(async () => {
      finished = await finishExample(call, deployment);
    });

    it('is accepted with its ID, its job IDs and a Location', () => {
      const { creation, batchId } = finished;
      expect(creation.status).toBe(202);
      const created = spec.created.parse(creation.json);
      expect(created.total_jobs).toBe(3);
      expect(created.total_tasks).toBe(3);
      expect(created.job_ids).toEqual(finished.jobs.map((job) => job.job_id));
      expect(creation.headers.get('location')).toBe(`${baseUrl}/v1/batch/${batchId}/status`);
    });

    it('has the same status at its path with and without `/status`', async () => {
      const path = `/v1/batch/${finished.batchId}`;
      const { text } = await call(`${path}/status?jobs=none`);
      expect(await call(`${path}?jobs=none`)).toMatchObject({ status: 200, text });
    });

    it('is on a deployment that reports its health and its name without a key', async () => {
      const health = await call('/health', { key: null });
      expect(health.json).toEqual({ status: 'ok', version: expect.any(String), deployment });
    });

    it('never loses a job between polls, and its counts and status never go back', () => {
      requireAdvance(finished.polls);
    });

    it('ends as partial, with two completed jobs and one failed job', () => {
      const last = finished.polls.at(-1);
      expect(last).toMatchObject({
        status: 'partial',
        total_tasks: 3,
        completed_tasks: 2,
        failed_tasks: 1,
        pending_tasks: 0,
        progress: 1,
      });
      expect(finished.jobs.map((job) => job.status)).toEqual(['completed', 'completed', 'failed']);
    });

    it('fails the bow-tie with a reason and a location, and without a URL', () => {
      const bowTie = findJob(finished, 2);
      expect(bowTie).toMatchObject({
        signed_cog_url: null,
        signed_url_expires_at: null,
        error_code: 'geometry_self_intersection',
        error_retryable: false,
        error_location: { ring: 0, lon: expect.closeTo(5.74, 6), lat: expect.closeTo(50.973, 6) },
      });
      expect(bowTie.error_message).toMatch(/crosses/);
    });

    it('returns the metadata byte for byte in status and webhook', () => {
      expect(finished.last.text).toContain(`"metadata":${METADATA}`);
      expect(finished.delivery.body.toString('utf8')).toContain(`"metadata":${METADATA}`);
    });

    it('has URLs that are signed at the time of the request for 24 hours, and pass the checks of `npm run smoke`', async () => {
      for (const index of [0, 1]) {
        const job = findJob(finished, index);
        const expiresAt = String(job.signed_url_expires_at);
        const expires = Date.parse(expiresAt);
        // Timestamps in Signature Version 4 have whole seconds.
        expect(expires).toBeGreaterThanOrEqual(finished.last.requestedAt + DAY_MS - 1_000);
        expect(expires).toBeLessThanOrEqual(finished.last.readAt + DAY_MS + 1_000);
        checkValidity({ url: urlOf(job), expiresAt });
        await checkRaster(urlOf(job));
        await checkAlteredUrls(urlOf(job));
      }
    });

    it('delivers a webhook with the signature that OpenSSL computes', async () => {
      const { delivery } = finished;
      const body = join(folder, 'body.json');
      writeFileSync(body, delivery.body);
      const hexKey = Buffer.from(SECRET, 'utf8').toString('hex');
      const output = execFileSync('openssl', [
        ...['dgst', '-sha256', '-mac', 'HMAC', '-macopt', `hexkey:${hexKey}`, '-hex', body],
      ]).toString();
      expect(delivery.headers['x-service-signature']).toBe(output.trim().split('= ')[1]);
      expect(delivery.headers['content-type']).toBe('application/json');
      const outcome: unknown = JSON.parse(delivery.body.toString('utf8'));
      expect((await obtainContract(baseUrl)).checkDelivery(outcome)).toEqual([]);
      const webhook = spec.webhook.parse(outcome);
      const last = finished.polls.at(-1);
      expect(webhook).toMatchObject({
        batch_id: finished.batchId,
        status: 'partial',
        completed_jobs: 2,
        failed_jobs: 1,
        total_jobs: 3,
        created_at: last?.created_at,
        completed_at: last?.completed_at,
      });
      expect(webhook.jobs.map((job) => job.job_id)).toEqual(finished.jobs.map((job) => job.job_id));
    });

    it('has the same summary of each job in the status and the webhook', () => {
      const { jobs } = spec.webhook.parse(JSON.parse(finished.delivery.body.toString('utf8')));
      const field = findJob(finished, 1).summary;
      expect(field?.lower).toBeGreaterThan(20);
      expect(field?.mean).toBeGreaterThan(field?.lower ?? 0);
      expect(field?.upper).toBeGreaterThan(field?.mean ?? 0);
      const summaries = finished.jobs.map((job) => job.summary);
      expect(jobs.map((job) => job.summary)).toEqual(summaries);
      expect(summaries[2]).toBeNull();
    });

    it('has a webhook whose completed jobs have the documented size', () => {
      const docs = readFileSync('docs/webhooks.md', 'utf8').replace(/\s+/g, ' ');
      const [, least, most] = (/([\d.]+) to ([\d.]+) kB per completed job/.exec(docs) ?? []).map(
        (kilobytes) => Number(kilobytes) * 1_000,
      );
      const { jobs } = spec.webhook.parse(JSON.parse(finished.delivery.body.toString('utf8')));
      for (const job of jobs.filter(({ status }) => status === 'completed')) {
        expect(JSON.stringify(job).length).toBeGreaterThan(Number(least));
        expect(JSON.stringify(job).length).toBeLessThan(Number(most));
      }
    });

    if (deployment === 'v2') {
      it('counts patch-batches while they are predicted, and the count never falls', () => {
        const counts = finished.details.map((detail) => detail.completed_patch_batches ?? 0);
        expect(counts).toEqual(counts.toSorted((a, b) => a - b));
        const running = finished.details.filter(
          ({ completed_patch_batches: completed, total_patch_batches: total }) =>
            completed !== null && total !== null && 0 < completed && completed < total,
        );
        // It depends on the machine whether a poll sees a count between none and all.
        expect(finished.details.map(({ status }) => status)).toContain('processing');
        const totals = finished.details.flatMap((detail) => detail.total_patch_batches ?? []);
        expect(new Set(totals).size).toBe(1);
        for (const { status, patch_batches, completed_patch_batches } of running) {
          expect(status).toBe('processing');
          // The list was read after the count.
          const completed = patch_batches.filter((patch) => patch.status === 'completed');
          expect(completed.length).toBeGreaterThanOrEqual(completed_patch_batches ?? 0);
        }
      });

      it('matches its estimate in cells, patch-batches, models and errors, and has an estimated time', async () => {
        const body = JSON.stringify({ jobs: EXAMPLE.jobs });
        const { json } = await call('/v1/batch/estimate', { body });
        const estimate = estimateResponse.parse(json);
        expect(estimate.jobs).toHaveLength(finished.jobs.length);
        for (const [index, job] of finished.jobs.entries()) {
          const path = `/v1/batch/${finished.batchId}/jobs/${job.job_id}/status`;
          const { point_count, total_patch_batches } = spec.jobDetail.parse(
            (await call(path)).json,
          );
          const { error_code, error_message } = job;
          const model = job.status === 'failed' ? null : job.model;
          expect(estimate.jobs[index]).toMatchObject({
            ...{ point_count, total_patch_batches, error_code, error_message, model },
          });
        }
        expect(estimate.expected_duration?.max_seconds).toBeGreaterThan(0);
      });

      it('returns a job’s patch-batches page by page, and one patch-batch by its index', async () => {
        const job = findJob(finished, 0);
        const path = `/v1/batch/${finished.batchId}/jobs/${job.job_id}`;
        const first = spec.jobDetail.parse((await call(`${path}/status?limit=5`)).json);
        expect(first.total_patch_batches).toBeGreaterThanOrEqual(8);
        expect(first.completed_patch_batches).toBe(first.total_patch_batches);
        expect(first.patch_batches).toHaveLength(5);
        expect(first.has_more).toBe(true);
        const seen = [...first.patch_batches];
        let cursor = first.next_cursor;
        while (cursor !== null) {
          const page = spec.jobDetail.parse(
            (await call(`${path}/status?limit=5&cursor=${encodeURIComponent(cursor)}`)).json,
          );
          seen.push(...page.patch_batches);
          cursor = page.next_cursor;
        }
        expect(seen.map((patch) => patch.patch_batch_idx)).toEqual(
          Array.from({ length: first.total_patch_batches ?? 0 }, (_, idx) => idx),
        );
        const one = await call(`${path}/patches/0/status`);
        expect(spec.patchBatch.parse(one.json)).toEqual(seen[0]);
      });

      it('returns no patch-batches for a job that failed before it was planned', async () => {
        const job = findJob(finished, 2);
        const response = await call(`/v1/batch/${finished.batchId}/jobs/${job.job_id}/status`);
        const detail = spec.jobDetail.parse(response.json);
        expect(detail.patch_batches).toEqual([]);
        expect(detail.total_patch_batches ?? 0).toBe(0);
      });
    } else {
      it("refers to V2's URL for the progress operations", async () => {
        const job = findJob(finished, 0);
        const path = `/v1/batch/${finished.batchId}/jobs/${job.job_id}/status`;
        const response = await call(path);
        expect(response.status).toBe(404);
        expect(spec.problem.parse(response.json).detail).toContain(service.v2_url);
      });
    }

    it('keeps its status and completion time after its end', async () => {
      const again = await call(`/v1/batch/${finished.batchId}/status`);
      const stable = (batch: BatchBody | undefined) => [batch?.status, batch?.completed_at];
      expect(stable(spec.batch.parse(again.json))).toEqual(stable(finished.polls.at(-1)));
    });
  },
);
