/**
 * The `Idempotency-Key` of a chunk: a hash of the run and the chunk's position. A crashed run sends the
 * same keys again and creates no second batch; if its jobs have changed meanwhile, the service rejects
 * the key (`idempotency-key-reused`). A new run id gives new batches.
 */
export async function idempotencyKey(runId: string, chunkIndex: number): Promise<string> {
  const text = new TextEncoder().encode(`${chunkIndex}/${runId}`);
  return hex(new Uint8Array(await crypto.subtle.digest('SHA-256', text)));
}

/** A random run id or key. `crypto.randomUUID` is missing on pages without https. */
export function randomId(): string {
  return hex(crypto.getRandomValues(new Uint8Array(16)));
}

function hex(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
