import { setTimeout as pause } from 'node:timers/promises';
import type { z } from 'zod';
import { batchStatusResponse } from '../../../lambdas/api/operations/batch/batch-status.ts';
import { retryResponse } from '../../../lambdas/api/operations/batch/creation-response.ts';
import type { ServiceDescription } from '../../../local/service-file.ts';
import * as spec from '../../e2e/contract/spec-schemas.ts';

export type Status = z.infer<typeof batchStatusResponse>;

const BETWEEN_TRIES_MS = 500;

/** A client that asks until it is answered: functions die under it. */
export class PatientClient {
  /** Answers that were none: 5xx, and connections that broke. */
  refusals = 0;
  private readonly service: ServiceDescription;

  constructor(service: ServiceDescription) {
    this.service = service;
  }

  /** One batch, however often it has to be sent: its idempotency key is the same each time. */
  async post(order: object, idempotencyKey: string): Promise<string> {
    const body = JSON.stringify(order);
    const headers = { 'Idempotency-Key': idempotencyKey };
    return spec.created.parse(await this.ask('/v1/batch', { method: 'POST', body, headers }))
      .batch_id;
  }

  async status(batchId: string, jobs: 'all' | 'none' = 'all'): Promise<Status> {
    const path = `/v1/batch/${batchId}/status?jobs=${jobs}`;
    return batchStatusResponse.parse(await this.ask(path));
  }

  /** @returns the id of the new batch */
  async retry(batchId: string): Promise<string> {
    const answer = await this.ask(`/v1/batch/${batchId}/retry`, { method: 'POST' });
    return retryResponse.parse(answer).batch_id;
  }

  private async ask(path: string, request: RequestInit = {}): Promise<unknown> {
    for (;;) {
      const answer = await fetch(`${this.service.v2_url}${path}`, {
        ...request,
        headers: {
          ...request.headers,
          Authorization: `Bearer ${this.service.api_key}`,
          ...(request.body === undefined ? {} : { 'Content-Type': 'application/json' }),
        },
      }).catch(() => null);
      if (answer?.ok) return answer.json();
      // 401 and 403: an authorizer that dies is none that says no, but the emulator can't tell.
      const passing =
        answer === null || answer.status >= 500 || [401, 403, 429].includes(answer.status);
      if (!passing) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
      this.refusals += 1;
      await pause(BETWEEN_TRIES_MS);
    }
  }
}
