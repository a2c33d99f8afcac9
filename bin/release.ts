import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { openApiDocument } from '../lambdas/api/specification/document.ts';
import project from '../package.json' with { type: 'json' };
import { CommandError, runCommand } from './operator/command.ts';
import { sectionOf, withRelease } from './release/changelog.ts';
import { packInto } from './release/packages.ts';
import {
  citationWith,
  LOCK,
  lockWith,
  manifestWith,
  pyprojectWith,
  requireNext,
  VERSIONED,
} from './release/version.ts';

/**
 * `npm run release -- 0.3.0`: cuts the version out of the changelog, writes it wherever it is held, packs
 * the client and the CLI, commits and tags. It pushes nothing.
 * `npm run release -- 0.3.0 --notes` prints what the changelog says about a version.
 */
async function main(): Promise<void> {
  const options = { notes: { type: 'boolean', default: false } } as const;
  const { positionals, values } = parseArgs({ options, allowPositionals: true });
  const [version = '', ...more] = positionals;
  if (more.length > 0) throw new CommandError(`expected one version, got ${positionals.join(' ')}`);
  if (values.notes) return console.log(sectionOf(readFileSync('CHANGELOG.md', 'utf8'), version));

  requireNext(version, project.version);
  const tag = `v${version}`;
  if (git('status', '--porcelain') !== '') throw new CommandError('commit your changes first', 1);
  if (git('tag', '--list', tag) !== '') throw new CommandError(`the tag ${tag} exists`, 1);

  const date = new Date().toISOString().slice(0, 10);
  rewrite('CHANGELOG.md', (text) => withRelease(text, version, date));
  for (const file of VERSIONED) rewrite(file, (text) => manifestWith(text, version));
  rewrite(LOCK, (text) => lockWith(text, version));
  for (const file of ['python/pyproject.toml', 'models/tools/pyproject.toml']) {
    rewrite(file, (text) => pyprojectWith(text, version));
  }
  rewrite('CITATION.cff', (text) => citationWith(text, version, date));
  for (const deployment of ['v1', 'v2'] as const) {
    const baseUrl = `https://${deployment}.soil.example`;
    const document = openApiDocument({ deployment, baseUrl, version });
    const file = `test/fixtures/openapi/${version}-${deployment}.json`;
    writeFileSync(file, `${JSON.stringify(document)}\n`);
  }
  // Before the commit: without packages there is no release.
  for (const archive of packInto('.local/packages')) console.log(archive);

  git('add', '--all');
  git('commit', '--quiet', '--message', `Release ${version}`);
  git('tag', '--annotate', tag, '--message', `Soil Batch ${version}`);
  console.log(`Tagged ${tag}. To publish it: git push origin HEAD ${tag}`);
}

function rewrite(file: string, change: (text: string) => string): void {
  writeFileSync(file, change(readFileSync(file, 'utf8')));
}

function git(...command: readonly string[]): string {
  return execFileSync('git', command, { encoding: 'utf8' }).trim();
}

await runCommand('release', main);
