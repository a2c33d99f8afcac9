import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import * as z from 'zod';
import { SERVICE_ENV_FILE, SERVICE_FILE } from './paths.ts';

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

/** Writes the description for programs (JSON) and for shells (to be sourced). */
export async function writeServiceFile(description: ServiceDescription): Promise<void> {
  await mkdir(path.dirname(SERVICE_FILE), { recursive: true });
  await replaceFile(SERVICE_ENV_FILE, shellVariables(description));
  await replaceFile(SERVICE_FILE, `${JSON.stringify(description, null, 2)}\n`);
}

export async function removeServiceFile(): Promise<void> {
  await rm(SERVICE_FILE, { force: true });
  await rm(SERVICE_ENV_FILE, { force: true });
}

/** What the README's commands use. */
export function shellVariables({ v1_url, v2_url, api_key }: ServiceDescription): string {
  return `export V1_URL='${v1_url}' V2_URL='${v2_url}' API_KEY='${api_key}'\n`;
}

/** Whole or not at all, and readable by its owner alone, for it holds a key. */
async function replaceFile(file: string, content: string): Promise<void> {
  const draft = `${file}.${process.pid}`;
  await writeFile(draft, content, { mode: 0o600 });
  await rename(draft, file);
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
