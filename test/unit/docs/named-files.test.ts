import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import project from '../../../package.json' with { type: 'json' };

const pages = [
  'README.md',
  'CHANGELOG.md',
  'CONTRIBUTING.md',
  'SECURITY.md',
  ...['docs', 'models', 'bench'].flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.md') && !file.includes('node_modules'))
      .map((file) => join(folder, file)),
  ),
];

/** The anchor that GitHub and most renderers give a heading. */
const slugOf = (heading: string) =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-');

const anchorsOf = (file: string) =>
  [...readFileSync(file, 'utf8').matchAll(/^#+ +(.+)$/gm)].map((heading) =>
    slugOf(heading[1] ?? ''),
  );

describe.each(pages)('%s', (page) => {
  const text = readFileSync(page, 'utf8');

  it('only links to pages and headings that exist', () => {
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

  it('only names commands that exist', () => {
    const named = [...text.matchAll(/npm run (?:--silent )?([\w:-]+)/g)].map((name) => name[1]);
    expect(Object.keys(project.scripts)).toEqual(expect.arrayContaining(named));
  });

  it('only names source files and tests that exist', () => {
    const paths =
      /`((?:bench|bin|engine|lambdas|lib|local|models)\/[\w./-]+\.\w+|test\/[\w./-]+)`/g;
    const named = [...text.matchAll(paths)].map(([, file]) => file ?? '');
    expect(named.filter((file) => !existsSync(file))).toEqual([]);
  });
});

it('every decision record is named after its title', () => {
  const folder = 'docs/decisions';
  const records = readdirSync(folder).filter((file) => file !== 'README.md');
  for (const file of records) {
    const heading = readFileSync(join(folder, file), 'utf8').split('\n', 1)[0] ?? '';
    const [, number = '', title = ''] = /^# (\d+)\. (.+)$/.exec(heading) ?? [];
    expect(file).toBe(`${number.padStart(4, '0')}-${slugOf(title)}.md`);
  }
});
