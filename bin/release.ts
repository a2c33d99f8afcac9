import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import project from '../package.json' with { type: 'json' };
import { CommandError, runCommand } from './operator/command.ts';
import { addRelease, findSection } from './release/changelog.ts';
import { packInto } from './release/packages.ts';
import {
  nextDevelopmentVersion,
  requireNextVersion,
  setReleaseDate,
  VERSIONED,
} from './release/version.ts';

/**
 * `npm run release -- 0.3.0` moves the changelog's unreleased section under the version, writes the version into all
 * files that contain it, packs the client, commits and tags. A second commit begins the next version. It pushes nothing.
 * `npm run release -- 0.3.0 --notes` prints what the changelog says about a version.
 */
async function main(): Promise<void> {
  const options = { notes: { type: 'boolean', default: false } } as const;
  const { positionals, values } = parseArgs({ options, allowPositionals: true });
  const [version = '', ...more] = positionals;
  if (more.length > 0) throw new CommandError(`expected one version, got ${positionals.join(' ')}`);
  if (values.notes) return console.log(findSection(readFileSync('CHANGELOG.md', 'utf8'), version));

  requireNextVersion(version, project.version);
  const tag = `v${version}`;
  if (runGit('status', '--porcelain') !== '')
    throw new CommandError('commit your changes first', 1);
  if (runGit('tag', '--list', tag) !== '')
    throw new CommandError(`the tag ${tag} already exists`, 1);

  const date = new Date().toISOString().slice(0, 10);
  rewriteFile('CHANGELOG.md', (text) => addRelease(text, version, date));
  writeVersion(version);
  rewriteFile('CITATION.cff', (text) => setReleaseDate(text, date));
  // Pack before committing, so that a failure does not leave a release without packages.
  console.log(packInto('.local/packages'));
  commitAll(`Release ${version}`);
  runGit('tag', '--annotate', tag, '--message', `Soil Batch ${version}`);

  const next = nextDevelopmentVersion(version);
  writeVersion(next);
  commitAll(`Begin ${next}`);
  console.log(`Tagged ${tag}. To publish it: git push origin HEAD ${tag}`);
}

function writeVersion(version: string): void {
  for (const [file, change] of Object.entries(VERSIONED)) {
    rewriteFile(file, (text) => change(text, version));
  }
}

function commitAll(subject: string): void {
  runGit('add', '--all');
  runGit('commit', '--quiet', '--message', subject);
}

function rewriteFile(file: string, change: (text: string) => string): void {
  writeFileSync(file, change(readFileSync(file, 'utf8')));
}

function runGit(...command: readonly string[]): string {
  return execFileSync('git', command, { encoding: 'utf8' }).trim();
}

await runCommand('release', main);
