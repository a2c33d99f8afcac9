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
  /** Objects of the work bucket, in base64. */
  readonly objects: Readonly<Record<string, string>>;
  /** User metadata of the objects that have some; absent in fixtures written before it was kept. */
  readonly metadata?: Readonly<Record<string, Readonly<Record<string, string>>>>;
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
  writeFileSync(file, `${JSON.stringify(kept, null, 1)}\n`);
  return file;
}
