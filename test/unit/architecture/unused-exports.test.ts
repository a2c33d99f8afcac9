import { readdirSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import knip from '../../../knip.json' with { type: 'json' };

const WITHOUT_TYPESCRIPT = ['docs', 'examples', 'models', 'python'];

it('Knip looks for unused exports in every folder with code', () => {
  const { '.': root, ...packages } = knip.workspaces;
  const within = root.project.flatMap((glob) => /^\{(.+?)\}/.exec(glob)?.[1]?.split(',') ?? []);
  const folders = readdirSync('.', { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && !entry.name.startsWith('.'))
    .map(({ name }) => name);
  // Such as what `cdk synth` leaves behind.
  const ignored = readFileSync('.gitignore', 'utf8')
    .split('\n')
    .map((line) => line.replace(/^\/|\/$/g, ''));
  const searched = [...within, ...Object.keys(packages), ...WITHOUT_TYPESCRIPT, ...ignored];
  expect(folders.filter((name) => !searched.includes(name))).toEqual([]);
});
