import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { listFolders } from '../architecture/folders.ts';

const page = readFileSync('docs/architecture.md', 'utf8');

const LAYERED = ['engine', 'lambdas'];

describe('the page about the code', () => {
  it('names every folder', () => {
    const folders = [
      ...listFolders('.').filter((name) => !LAYERED.includes(name)),
      ...LAYERED.flatMap((folder) => listFolders(folder).map((name) => `${folder}/${name}`)),
    ];
    const [section = ''] = page.slice(page.indexOf('## Folders')).split('\n## ');
    const named = [...section.matchAll(/^- `([^`]+)`:/gm)].map(([, name]) => name);
    expect(named.sort()).toEqual(folders.sort());
  });
});
