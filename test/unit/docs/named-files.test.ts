import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import project from '../../../package.json' with { type: 'json' };

const pages = [
  'README.md',
  'CHANGELOG.md',
  'CONTRIBUTING.md',
  ...['docs', 'models', 'bench'].flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.md'))
      .map((file) => join(folder, file)),
  ),
];

/** Headings as GitHub and most renderers name them. */
function anchorsOf(file: string): readonly string[] {
  return [...readFileSync(file, 'utf8').matchAll(/^#+ +(.+)$/gm)].map((heading) =>
    (heading[1] ?? '')
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  );
}

describe.each(pages)('%s', (page) => {
  const text = readFileSync(page, 'utf8');

  it('links to pages and headings that are there', () => {
    const targets = [...text.matchAll(/\]\((?!https?:|mailto:)([^)\s]*)\)/g)].map(
      (link) => link[1],
    );
    for (const target of targets) {
      const [file = '', anchor] = (target ?? '').split('#');
      const path = file === '' ? page : join(dirname(page), file);
      expect(existsSync(path), `${target} of ${page}`).toBe(true);
      if (anchor !== undefined && path.endsWith('.md')) expect(anchorsOf(path)).toContain(anchor);
    }
  });

  it('names commands that are there', () => {
    const named = [...text.matchAll(/npm run (?:--silent )?([\w:-]+)/g)].map((name) => name[1]);
    expect(Object.keys(project.scripts)).toEqual(expect.arrayContaining(named));
  });

  it('names source files that exist', () => {
    const named = [
      ...text.matchAll(/`((?:bench|bin|lambdas|lib|local|models|test)\/[\w./-]+\.\w+)`/g),
    ].map(([, file]) => file ?? '');
    expect(named.filter((file) => !existsSync(file))).toEqual([]);
  });

  it('names tests that are there', () => {
    const named = [...text.matchAll(/`(test\/[\w./-]+)`/g)].map((name) => name[1] ?? '');
    for (const name of named) expect(existsSync(name), `${name} of ${page}`).toBe(true);
  });
});

it('every decision stands in their index under its number, and no other', () => {
  const records = readdirSync('docs/decisions').filter((file) => /^\d{4}-/.test(file));
  const index = readFileSync('docs/decisions/README.md', 'utf8');
  const listed = [...index.matchAll(/^(\d+)\. \[[^\]]+\]\((\d{4}-[^)]+)\)/gm)];
  expect(listed.map(([, , file]) => file)).toEqual(records.sort());
  for (const [, number, file] of listed) {
    expect(file).toMatch(new RegExp(`^${number?.padStart(4, '0')}-`));
    expect(readFileSync(`docs/decisions/${file}`, 'utf8')).toMatch(new RegExp(`^# ${number}\\. `));
  }
});
