import { CommandError } from '../operator/command.ts';

/** Until the smoke test has passed on AWS, versions are 0.x; CHANGELOG.md says so to its readers. */
const VERSION = /^0\.(0|[1-9]\d*)\.(0|[1-9]\d*)$/;

/** Throws unless a version is 0.x and later than the present one. */
export function requireNext(version: string, present: string): void {
  const next = numbersIn(version);
  if (next === null) throw new CommandError(`expected a version such as 0.3.0, got "${version}"`);
  const [minor = 0, patch = 0] = numbersIn(present) ?? [];
  if (next[0] > minor || (next[0] === minor && next[1] > patch)) return;
  throw new CommandError(`${version} is not later than ${present}`);
}

function numbersIn(version: string): readonly [minor: number, patch: number] | null {
  const [, minor, patch] = VERSION.exec(version) ?? [];
  return minor === undefined ? null : [Number(minor), Number(patch)];
}

/** The manifests that hold the project's version, and the lock, which repeats it. */
export const VERSIONED = ['package.json', 'client/package.json', 'cli/package.json'] as const;
export const LOCK = 'package-lock.json';

interface Manifest {
  version?: string;
  dependencies?: Record<string, string>;
}

/** The text of a manifest with another version, also of the client that it depends on. */
export function manifestWith(text: string, version: string): string {
  const manifest: Manifest = JSON.parse(text);
  setVersion(manifest, version);
  return `${JSON.stringify(manifest, null, 2)}\n`;
}

/** As {@link manifestWith}, for the lock of all workspaces. */
export function lockWith(text: string, version: string): string {
  const lock: Manifest & { readonly packages: Record<string, Manifest> } = JSON.parse(text);
  lock.version = version;
  for (const folder of ['', 'client', 'cli']) {
    const manifest = lock.packages[folder];
    if (manifest === undefined) throw new CommandError(`${LOCK} lacks the folder "${folder}"`, 1);
    setVersion(manifest, version);
  }
  return `${JSON.stringify(lock, null, 2)}\n`;
}

const CLIENT = 'soil-batch-client';

function setVersion(manifest: Manifest, version: string): void {
  manifest.version = version;
  const { dependencies } = manifest;
  if (dependencies?.[CLIENT] !== undefined) dependencies[CLIENT] = `^${version}`;
}

/** The text of a `pyproject.toml` with another version. */
export function pyprojectWith(text: string, version: string): string {
  return text.replace(/^version = .*$/m, `version = "${version}"`);
}

/** The text of `CITATION.cff` with another version. */
export function citationWith(text: string, version: string, date: string): string {
  return text
    .replace(/^version: .*$/m, `version: ${version}`)
    .replace(/^date-released: .*$/m, `date-released: "${date}"`);
}
