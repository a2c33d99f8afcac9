import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { AttributeValue } from '@aws-sdk/client-dynamodb';

const FOLDER = 'test/fixtures/items';

/** Items and objects that a version wrote in a real run, and what its own adapters read from them. */
export interface KeptItems {
  readonly version: string;
  /** The clock to read them with, so that nothing has expired. */
  readonly written_at: string;
  readonly items: readonly Readonly<Record<string, AttributeValue>>[];
  /** Objects of the work bucket, and the totals of the results bucket, in base64. */
  readonly objects: Readonly<Record<string, string>>;
  /** User metadata of the objects that have some. */
  readonly metadata: Readonly<Record<string, Readonly<Record<string, string>>>>;
  readonly read: {
    readonly items: Readonly<Record<string, unknown>>;
    readonly objects: Readonly<Record<string, unknown>>;
  };
}

export const keptVersions = (): readonly string[] => readdirSync(FOLDER);

export function readKept(version: string): KeptItems {
  return JSON.parse(readFileSync(join(FOLDER, version, 'kept.json'), 'utf8'));
}

export function writeKept(kept: KeptItems): string {
  const folder = join(FOLDER, kept.version);
  mkdirSync(folder, { recursive: true });
  const file = join(folder, 'kept.json');
  const objects = Object.entries(kept.objects).map(([key, text]) => [
    key,
    key.startsWith('deliveries/') ? inBase64(text, redacted) : text,
  ]);
  const whole = { ...kept, objects: Object.fromEntries(objects) };
  writeFileSync(file, `${redacted(JSON.stringify(whole, null, 1))}\n`);
  return file;
}

function inBase64(text: string, change: (text: string) => string): string {
  return Buffer.from(change(Buffer.from(text, 'base64').toString())).toString('base64');
}

/** Without what secret scanners report: ids of access keys, signatures and ciphertexts. */
function redacted(text: string): string {
  return text
    .replace(/\b(AKIA|ASIA)[A-Z0-9]{16}\b/g, 'REDACTED')
    .replace(/(X-Amz-Signature=)[0-9a-f]{64}/g, '$1REDACTED')
    .replace(/("secret_?ciphertext":\s*(?:\{\s*"S":\s*)?)"[^"]+"/gi, '$1"REDACTED"');
}
