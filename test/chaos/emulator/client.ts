import { setTimeout as pause } from 'node:timers/promises';
import type { z } from 'zod';
import {
  batchStatusResponse,
  retryResponse,
} from '../../../lambdas/api/definitions/batch-responses.ts';
import type { ServiceDescription } from '../../../local/service-file.ts';
import * as spec from '../../support/api/spec-schemas.ts';

export type Status = z.infer<typeof batchStatusResponse>;

const BETWEEN_TRIES_MS = 500;

/** A client that repeats each request until it succeeds. */
export class RetryingClient {
  /** Responses with a transient error status, and broken connections. */
  failedRequests = 0;
  private readonly service: ServiceDescription;

  constructor(service: ServiceDescription) {
    this.service = service;
  }

  /** Creates one batch, however often the request is sent: the idempotency key stays the same. */
  async post(order: object, idempotencyKey: string): Promise<string> {
    const body = JSON.stringify(order);
    const headers = { 'Idempotency-Key': idempotencyKey };
    const json = await this.request('/v1/batch', { method: 'POST', body, headers });
    return spec.created.parse(json).batch_id;
  }

  async status(batchId: string, jobs: 'all' | 'none' = 'all'): Promise<Status> {
    const path = `/v1/batch/${batchId}/status?jobs=${jobs}`;
    return batchStatusResponse.parse(await this.request(path));
  }

  /** @returns the id of the new batch */
  async retry(batchId: string): Promise<string> {
    const json = await this.request(`/v1/batch/${batchId}/retry`, { method: 'POST' });
    return retryResponse.parse(json).batch_id;
  }

  private async request(path: string, request: RequestInit = {}): Promise<unknown> {
    for (;;) {
      const response = await fetch(`${this.service.v2_url}${path}`, {
        ...request,
        headers: {
          ...request.headers,
          Authorization: `Bearer ${this.service.api_key}`,
          ...(request.body === undefined ? {} : { 'Content-Type': 'application/json' }),
        },
      }).catch(() => null);
      if (response?.ok) return response.json();
      // 401 and 403: the emulator reports a crashed authorizer like one that rejects the key.
      const isTransient =
        response === null || response.status >= 500 || [401, 403, 429].includes(response.status);
      if (!isTransient) throw new Error(`${path}: ${response.status} ${await response.text()}`);
      this.failedRequests += 1;
      await pause(BETWEEN_TRIES_MS);
    }
  }
}
