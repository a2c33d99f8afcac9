import { CommandError } from '../operator/command.ts';

/** Versions are 0.x until the smoke test has passed on AWS, as CHANGELOG.md tells its readers. */
const VERSION = /^0\.(0|[1-9]\d*)\.(0|[1-9]\d*)$/;

const DEVELOPED = '-dev';

/** Throws unless a version is 0.x and not earlier than the version in development, such as `0.3.0-dev`. */
export function requireNextVersion(version: string, developed: string): void {
  const next = parseVersion(version);
  if (next === null) throw new CommandError(`expected a version such as 0.3.0, got "${version}"`);
  const [minor = 0, patch = 0] = parseVersion(developed.replace(DEVELOPED, '')) ?? [];
  if (next[0] > minor || (next[0] === minor && next[1] >= patch)) return;
  throw new CommandError(
    `the version ${version} is earlier than ${developed}, the version in development`,
  );
}

/** Returns the version for the commits after a release. This version sorts before every later release. */
export function nextDevelopmentVersion(version: string): string {
  const [minor = 0, patch = 0] = parseVersion(version) ?? [];
  return `0.${minor}.${patch + 1}${DEVELOPED}`;
}

function parseVersion(version: string): readonly [minor: number, patch: number] | null {
  const [, minor, patch] = VERSION.exec(version) ?? [];
  return minor === undefined ? null : [Number(minor), Number(patch)];
}

type Rewrite = (text: string, version: string) => string;

/** Each file that contains the project's version, with the function that writes the version there. */
export const VERSIONED: Readonly<Record<string, Rewrite>> = {
  'package.json': setManifestVersion,
  'client/package.json': setManifestVersion,
  'package-lock.json': setLockVersion,
  'python/pyproject.toml': setPythonVersion,
  'models/tools/pyproject.toml': setPythonVersion,
  'CITATION.cff': setCitedVersion,
};

interface Manifest {
  version?: string;
}

function setManifestVersion(text: string, version: string): string {
  const manifest: Manifest = JSON.parse(text);
  manifest.version = version;
  return `${JSON.stringify(manifest, null, 2)}\n`;
}

/** The lock file repeats the versions in the manifests of all workspaces. */
function setLockVersion(text: string, version: string): string {
  const lock: Manifest & { readonly packages: Record<string, Manifest> } = JSON.parse(text);
  lock.version = version;
  for (const folder of ['', 'client']) {
    const manifest = lock.packages[folder];
    if (manifest === undefined)
      throw new CommandError(`the lock file does not contain the folder "${folder}"`, 1);
    manifest.version = version;
  }
  return `${JSON.stringify(lock, null, 2)}\n`;
}

/** Writes a version in Python's spelling: https://packaging.python.org/en/latest/specifications/version-specifiers/ */
function setPythonVersion(text: string, version: string): string {
  // The first match is the package's version.
  return text.replace(/^version = .*$/m, `version = "${version.replace(DEVELOPED, '.dev0')}"`);
}

/** Only a released version has a date, which {@link setReleaseDate} writes. */
function setCitedVersion(text: string, version: string): string {
  const cited = text.replace(/^version: .*$/m, `version: "${version}"`);
  return version.endsWith(DEVELOPED) ? cited.replace(/^date-released: .*\n/m, '') : cited;
}

export function setReleaseDate(text: string, date: string): string {
  return text.replace(/^(version: .*\n)(date-released: .*\n)?/m, `$1date-released: ${date}\n`);
}
