import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { z } from 'zod';
import { SERVICE_FILE } from './paths.ts';

const HEALTH_TIMEOUT_MS = 5_000;

const serviceDescription = z.object({
  /** Base addresses; the operations' paths begin with `/v1` on both. */
  v1_url: z.url(),
  v2_url: z.url(),
  api_key: z.string(),
  /** The emulator, its region and its root caller, for AWS tools. */
  endpoint_url: z.url(),
  region: z.string(),
  access_key_id: z.string(),
  secret_access_key: z.string(),
  /** What the emulator logs; null when it was started by someone else. */
  log_file: z.string().nullable(),
  /** The process that keeps the service running. */
  process_id: z.number().int(),
});

/** How to reach a running local service, as `.local/service.json` tells it. */
export type ServiceDescription = Readonly<z.infer<typeof serviceDescription>>;

/** Writes the file whole or not at all, readable by its owner alone, for it holds a key. */
export async function writeServiceFile(description: ServiceDescription): Promise<void> {
  const draft = `${SERVICE_FILE}.${process.pid}`;
  await mkdir(path.dirname(SERVICE_FILE), { recursive: true });
  await writeFile(draft, `${JSON.stringify(description, null, 2)}\n`, { mode: 0o600 });
  await rename(draft, SERVICE_FILE);
}

export async function removeServiceFile(): Promise<void> {
  await rm(SERVICE_FILE, { force: true });
}

/**
 * The service that runs now, or undefined. A file that a killed service left behind names one that no
 * longer answers; it counts as absent.
 */
export async function findRunningService(): Promise<ServiceDescription | undefined> {
  const text = await readFile(SERVICE_FILE, 'utf8').catch(() => undefined);
  if (text === undefined) return undefined;
  const description = serviceDescription.safeParse(JSON.parse(text)).data;
  if (description === undefined) return undefined;
  const signal = AbortSignal.timeout(HEALTH_TIMEOUT_MS);
  const health = await fetch(`${description.v1_url}/health`, { signal }).catch(() => undefined);
  return health?.ok ? description : undefined;
}
