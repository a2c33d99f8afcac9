import * as z from 'zod/mini';
import { parseStored, writeStored } from '../state/tab-storage.ts';

export interface Submission {
  readonly idempotencyKey: string;
  /** Null until the response arrives. */
  readonly batchId: string | null;
}

const STORED = 'submissions';

const MOST = 50;

const entries = z.array(
  z.tuple([z.string(), z.object({ idempotencyKey: z.string(), batchId: z.nullable(z.string()) })]),
);

/** Submissions of this tab, by the digest of their request. Without them, a reload could submit twice. */
let submissions: Map<string, Submission> | null = null;

export async function findSubmission(baseUrl: string, body: string) {
  submissions ??= new Map(parseStored(STORED, entries));
  const known = submissions;
  const digest = await computeDigest(`${baseUrl}\n${body}`);
  return {
    earlier: known.get(digest) ?? null,
    record(submission: Submission) {
      known.delete(digest);
      known.set(digest, submission);
      writeStored(STORED, JSON.stringify([...known].slice(-MOST)));
    },
  };
}

export function removeSubmissions(): void {
  writeStored(STORED, null);
}

async function computeDigest(text: string): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text));
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, '0')).join('');
}
