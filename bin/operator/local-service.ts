import { readFile } from 'node:fs/promises';
import path from 'node:path';
import * as z from 'zod';
import { CommandError } from './command.ts';

export const SERVICE_FILE = path.resolve(import.meta.dirname, '../../.local/service.json');

/** The fields that commands read: the emulator's URL, region and root credentials. */
const service = z.object({
  endpoint_url: z.url(),
  region: z.string(),
  access_key_id: z.string(),
  secret_access_key: z.string(),
});

/** @throws CommandError if no local service is running */
export async function readLocalService(): Promise<z.infer<typeof service>> {
  const text = await readFile(SERVICE_FILE, 'utf8').catch(() => null);
  if (text !== null) return service.parse(JSON.parse(text));
  throw new CommandError(
    `no local service is running (${path.relative(process.cwd(), SERVICE_FILE)} is missing); start it with npm start`,
    1,
  );
}
