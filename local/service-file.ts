import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import * as z from 'zod';
import { SERVICE_FILE } from '../bin/operator/local-service.ts';
import { SERVICE_ENV_FILE } from './paths.ts';

const HEALTH_TIMEOUT_MS = 5_000;

const serviceDescription = z.object({
  /** The base URLs, to which paths such as `/v1/batch` are appended. */
  v1_url: z.url(),
  v2_url: z.url(),
  api_key: z.string(),
  endpoint_url: z.url(),
  region: z.string(),
  access_key_id: z.string(),
  secret_access_key: z.string(),
  /** The emulator's log; null if another process started the emulator. */
  log_file: z.string().nullable(),
  process_id: z.number().int(),
});

export type ServiceDescription = Readonly<z.infer<typeof serviceDescription>>;

export async function writeServiceFile(description: ServiceDescription): Promise<void> {
  await mkdir(path.dirname(SERVICE_FILE), { recursive: true });
  await replaceFile(SERVICE_ENV_FILE, formatShellVariables(description));
  await replaceFile(SERVICE_FILE, `${JSON.stringify(description, null, 2)}\n`);
}

export async function removeServiceFile(): Promise<void> {
  await rm(SERVICE_FILE, { force: true });
  await rm(SERVICE_ENV_FILE, { force: true });
}

function formatShellVariables({ v1_url, v2_url, api_key }: ServiceDescription): string {
  return `export V1_URL='${v1_url}' V2_URL='${v2_url}' API_KEY='${api_key}'\n`;
}

/** Replaces a file atomically. Only its owner can read it, because it contains a key. */
async function replaceFile(file: string, content: string): Promise<void> {
  const draft = `${file}.${process.pid}`;
  await writeFile(draft, content, { mode: 0o600 });
  await rename(draft, file);
}

/** Returns the running service; undefined if there is no file or its service does not respond. */
export async function findRunningService(): Promise<ServiceDescription | undefined> {
  const text = await readFile(SERVICE_FILE, 'utf8').catch(() => undefined);
  if (text === undefined) return undefined;
  const description = serviceDescription.safeParse(JSON.parse(text)).data;
  if (description === undefined) return undefined;
  const signal = AbortSignal.timeout(HEALTH_TIMEOUT_MS);
  const health = await fetch(`${description.v1_url}/health`, { signal }).catch(() => undefined);
  return health?.ok ? description : undefined;
}
