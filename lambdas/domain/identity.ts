import { hash } from 'node:crypto';
import { v7, validate, version } from 'uuid';

/** A UUIDv7 (RFC 9562), so that IDs sort by creation time. */
export type BatchId = string;

/** A UUIDv5 of the batch ID and the job index, so that it is known before anything is stored. */
export type JobId = string;

export function newBatchId(now: Date): BatchId {
  return v7({ msecs: now.getTime() });
}

/** Reads the time in a UUIDv7: its first 48 bits, in milliseconds (RFC 9562, section 5.7). */
export function createdAtOf(batchId: BatchId): Date {
  return new Date(Number.parseInt(batchId.replace('-', '').slice(0, 12), 16));
}

export function isBatchId(text: string): boolean {
  return validate(text) && version(text) === 7 && text === text.toLowerCase();
}

export function jobIdOf(batchId: BatchId, index: number): JobId {
  return nameBasedUuids(batchId)(String(index));
}

export function jobIdsOf(batchId: BatchId, totalJobs: number): readonly JobId[] {
  const idOf = nameBasedUuids(batchId);
  return Array.from({ length: totalJobs }, (_, index) => idOf(String(index)));
}

/** Returns null if no job of the batch has the ID. */
export function findJobIndex(batchId: BatchId, jobId: JobId, totalJobs: number): number | null {
  const idOf = nameBasedUuids(batchId);
  for (let index = 0; index < totalJobs; index++) {
    if (idOf(String(index)) === jobId) return index;
  }
  return null;
}

export function formatRunName(batchId: BatchId, restarts: number): string {
  return restarts === 0 ? batchId : `${batchId}.${restarts}`;
}

export function formatCopyRunName(batchId: BatchId, request: number): string {
  return `${batchId}.copy${request}`;
}

export interface NamedRun {
  readonly batchId: BatchId;
  readonly kind: 'batch' | 'copies';
  /** The number of restarts of the batch, or the number of the request for copies. */
  readonly number: number;
}

/** Returns null if the name is not a run's. */
export function parseRunName(name: string): NamedRun | null {
  const [, batchId = '', copy, number = '0'] = /^([^.]+)(?:\.(copy)?([1-9]\d*))?$/.exec(name) ?? [];
  if (!isBatchId(batchId)) return null;
  return { batchId, kind: copy === undefined ? 'batch' : 'copies', number: Number(number) };
}

/**
 * Returns a function that computes the UUIDv5 of a name in the namespace (RFC 9562, section 5.5). Node's one-shot hash
 * is faster than `uuid`, and a status may need 1,000 IDs.
 * @param namespace a UUID
 */
export function nameBasedUuids(namespace: string): (name: string) => string {
  const space = Buffer.from(namespace.replaceAll('-', ''), 'hex');
  return (name) => {
    const digest = hash('sha1', Buffer.concat([space, Buffer.from(name)]), 'hex');
    const variant = ((Number.parseInt(digest.charAt(16), 16) & 0b0011) | 0b1000).toString(16);
    return `${digest.slice(0, 8)}-${digest.slice(8, 12)}-5${digest.slice(13, 16)}-${variant}${digest.slice(17, 20)}-${digest.slice(20, 32)}`;
  };
}
