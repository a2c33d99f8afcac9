import english from 'zod/v4/locales/en.js';
import { messageOf } from '../../errors/message-of.ts';
import { findInconsistencies, type ManifestProblem } from './consistency.ts';
import { type Manifest, manifestSchema, type Years } from './manifest.ts';
import { MANIFEST_FILE, type PackFiles } from './pack-files.ts';

/** The model and the covariates are read on demand. */
export interface Pack {
  /** `id@version`. A published version never changes. */
  readonly ref: string;
  readonly manifest: Manifest;
  /**
   * The period whose covariates are read; absent for a static pack, and until a period is chosen
   * (`listPackPeriods`).
   */
  readonly years?: Years;
  readonly files: PackFiles;
}

export class PackInvalid extends Error {
  override readonly name = 'PackInvalid';
  readonly problems: readonly ManifestProblem[];

  constructor(problems: readonly ManifestProblem[]) {
    super(
      `${MANIFEST_FILE}: ${problems.map(({ field, message }) => `${field}: ${message}`).join('; ')}`,
    );
    this.problems = problems;
  }
}

/**
 * Reads and validates a pack's `manifest.json`, and no other file.
 * @throws PackInvalid, or PackFileUnavailable if the manifest cannot be read
 */
export async function loadPack(files: PackFiles, schema = manifestSchema): Promise<Pack> {
  const pack = await readPack(files, schema);
  const problems = findInconsistencies(pack.manifest);
  if (problems.length > 0) throw new PackInvalid(problems);
  return pack;
}

/**
 * Loads a pack that was validated at deployment. Skips the consistency checks, so that functions
 * neither bundle them nor run them at each cold start.
 */
export async function loadDeployedPack(files: PackFiles): Promise<Pack> {
  return readPack(files, manifestSchema);
}

async function readPack(files: PackFiles, schema: typeof manifestSchema): Promise<Pack> {
  const manifest = parseManifest(await files.readFile(MANIFEST_FILE), schema);
  return { ref: `${manifest.id}@${manifest.version}`, manifest, files };
}

function parseManifest(bytes: Uint8Array, schema: typeof manifestSchema): Manifest {
  const parsed = schema.safeParse(parseJson(bytes), { error: english().localeError });
  if (!parsed.success) {
    throw new PackInvalid(
      parsed.error.issues.map(({ path, message }) => ({ field: formatField(path), message })),
    );
  }
  return parsed.data;
}

function parseJson(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch (error) {
    const message = messageOf(error);
    throw new PackInvalid([{ field: '(whole file)', message: `not JSON: ${message}` }]);
  }
}

function formatField(path: readonly PropertyKey[]): string {
  if (path.length === 0) {
    return '(whole file)';
  }
  return path
    .map((key, i) => (typeof key === 'number' ? `[${key}]` : `${i > 0 ? '.' : ''}${String(key)}`))
    .join('');
}
