import english from 'zod/v4/locales/en.js';
import { inconsistenciesOf } from './consistency.ts';
import { type Manifest, manifestSchema } from './manifest.ts';
import type { ManifestProblem } from './manifest-problem.ts';
import type { PackFiles } from './pack-files.ts';

/** A model pack whose manifest has been parsed; its model and covariates are read when needed. */
export interface Pack {
  /** `id@version`: a published pack never changes under it. */
  readonly ref: string;
  readonly manifest: Manifest;
  readonly files: PackFiles;
}

/** A manifest that can't be used, with every problem found in it. */
export class PackInvalid extends Error {
  override readonly name = 'PackInvalid';
  readonly problems: readonly ManifestProblem[];

  constructor(problems: readonly ManifestProblem[]) {
    super(
      `manifest.json: ${problems.map(({ member, message }) => `${member}: ${message}`).join('; ')}`,
    );
    this.problems = problems;
  }
}

/**
 * Reads and judges a pack's `manifest.json`, and nothing else of it.
 * Throws {@link PackInvalid}, or `PackFileUnavailable` when there is no manifest.
 */
export async function loadPack(files: PackFiles): Promise<Pack> {
  const pack = await loadDeployedPack(files);
  const problems = inconsistenciesOf(pack.manifest);
  if (problems.length > 0) throw new PackInvalid(problems);
  return pack;
}

/**
 * The same of a pack that was judged when it was deployed: functions need not carry that judgement,
 * nor make it at every start.
 */
export async function loadDeployedPack(files: PackFiles): Promise<Pack> {
  const manifest = parseManifest(await files.read('manifest.json'));
  return { ref: `${manifest.id}@${manifest.version}`, manifest, files };
}

function parseManifest(bytes: Uint8Array): Manifest {
  const parsed = manifestSchema.safeParse(parseJson(bytes), { error: english().localeError });
  if (!parsed.success) {
    throw new PackInvalid(
      parsed.error.issues.map(({ path, message }) => ({ member: memberOf(path), message })),
    );
  }
  return parsed.data;
}

function parseJson(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    throw new PackInvalid([{ member: '(whole file)', message: `not JSON: ${message}` }]);
  }
}

function memberOf(path: readonly PropertyKey[]): string {
  if (path.length === 0) {
    return '(whole file)';
  }
  return path
    .map((key, i) => (typeof key === 'number' ? `[${key}]` : `${i > 0 ? '.' : ''}${String(key)}`))
    .join('');
}
