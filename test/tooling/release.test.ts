import { execFile, execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const run = promisify(execFile);
const VERSION = '0.999.0';
const NEXT = '0.999.1-dev';

// The clone is on the same disk as the packages, which hard links require.
const clone = mkdtempSync(resolve('.local/release-'));
const git = (...command: readonly string[]) =>
  execFileSync('git', command, { cwd: clone, encoding: 'utf8' }).trim();
const command = (name: string, ...args: readonly string[]) =>
  run(resolve('node_modules/.bin/tsx'), [`bin/${name}.ts`, ...args], { cwd: clone });
const release = (...args: readonly string[]) => command('release', ...args);
const read = (file: string) => readFileSync(join(clone, file), 'utf8');

/** Copies the current files, committed or not, with the installed packages, and releases a version of them. */
beforeAll(async () => {
  const copied =
    'git ls-files -z -co --exclude-standard | tar --null --ignore-failed-read -cf - -T -';
  execFileSync('bash', ['-c', `${copied} | tar -xf - -C ${clone}`], { stdio: 'pipe' });
  execFileSync('cp', ['-al', 'node_modules', join(clone, 'node_modules')]);
  // Right after a release, nothing is unreleased.
  const changelog = read('CHANGELOG.md');
  const [heading, entry] = ['## [Unreleased]\n', '\n### Added\n\n- A change.\n'];
  writeFileSync(join(clone, 'CHANGELOG.md'), changelog.replace(heading, heading + entry));
  git('init', '--quiet');
  git('config', 'user.name', 'Releaser');
  git('config', 'user.email', 'releaser@soil.example');
  git('add', '--all');
  git('commit', '--quiet', '--message', 'Begin');
  await release(VERSION);
}, 300_000);
afterAll(() => rmSync(clone, { recursive: true }));

describe('`npm run release`', () => {
  it('leaves a commit with a tag, the next version, and nothing uncommitted', () => {
    expect(git('log', '--format=%s')).toBe(`Begin ${NEXT}\nRelease ${VERSION}\nBegin`);
    expect(git('cat-file', '-t', `v${VERSION}`)).toBe('tag');
    expect(git('rev-parse', `v${VERSION}^{commit}`)).toBe(git('rev-parse', 'HEAD~'));
    expect(git('status', '--porcelain')).toBe('');
    const versionAt = (commit: string) => JSON.parse(git('show', `${commit}:package.json`)).version;
    expect([versionAt('HEAD~'), versionAt('HEAD')]).toEqual([VERSION, NEXT]);
  });

  it('cites the version with its date, and the next version without one', () => {
    const cited = (commit: string) =>
      git('show', `${commit}:CITATION.cff`).match(/^(version|date-released): .*$/gm);
    const date = expect.stringMatching(/^date-released: \d{4}-\d\d-\d\d$/);
    expect(cited('HEAD~')).toEqual([`version: "${VERSION}"`, date]);
    expect(cited('HEAD')).toEqual([`version: "${NEXT}"`]);
  });

  it('packs a client that an empty project can install', async () => {
    const archive = join(clone, `.local/packages/soil-batch-client-${VERSION}.tgz`);
    const folder = mkdtempSync(join(tmpdir(), 'soil-batch-empty-'));
    const install = ['install', '--offline', '--no-audit', '--no-fund'];
    await run('npm', [...install, archive], { cwd: folder });
    const program = "console.log(typeof (await import('soil-batch-client')).SoilClient)";
    const imported = await run(process.execPath, ['--input-type=module', '-e', program], {
      cwd: folder,
    });
    expect(imported.stdout.trim()).toBe('function');
    rmSync(folder, { recursive: true });
  });

  it('prints the version’s changes from the changelog with `--notes`', async () => {
    const { stdout } = await release(VERSION, '--notes');
    expect(stdout).toContain('### Added');
    expect(stdout).not.toContain('## [');
  });

  it('rejects the same version again, and changes nothing', async () => {
    await expect(release(VERSION)).rejects.toThrow(/is earlier than/);
    expect(git('status', '--porcelain')).toBe('');
  });
});

describe('`npm run pack`', () => {
  it('does not pack a client without a file that its manifest names', async () => {
    const manifest = read('client/package.json');
    writeFileSync(
      join(clone, 'client/package.json'),
      manifest.replace('dist/index.js', 'dist/none.js'),
    );
    await expect(command('pack')).rejects.toThrow(/soil-batch-client.*dist\/none\.js/);
    writeFileSync(join(clone, 'client/package.json'), manifest);
  });
});

describe('the version of the service', () => {
  const versionHere = async () => {
    const program =
      "console.log((await import('./lib/build/service-version.ts')).computeServiceVersion())";
    const line = ['--import', 'tsx', '--input-type=module', '--eval', program];
    return (await run(process.execPath, line, { cwd: clone })).stdout.trim();
  };
  const append = (file: string, text: string) =>
    writeFileSync(join(clone, file), read(file) + text);

  it('changes with the code, but not with the docs', async () => {
    const before = await versionHere();
    expect(before).toMatch(/^0\.999\.1-dev\+[0-9a-f]{12}$/);
    append('README.md', 'More.\n');
    append('docs/rasters.md', 'More.\n');
    expect(await versionHere()).toBe(before);
    append('lambdas/api/functions/open.ts', "console.log('more');\n");
    expect(await versionHere()).not.toBe(before);
    git('checkout', '--quiet', '.');
    expect(await versionHere()).toBe(before);
  });
});
