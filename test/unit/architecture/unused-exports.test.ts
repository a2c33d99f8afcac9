import { expect, it } from 'vitest';
import knip from '../../../knip.json' with { type: 'json' };
import { listFolders } from './folders.ts';

const WITHOUT_TYPESCRIPT = ['docs', 'examples', 'models', 'python'];

it('Knip looks for unused exports in every folder with code', () => {
  const { '.': root, ...packages } = knip.workspaces;
  const within = root.project.flatMap((glob) => /^\{(.+?)\}/.exec(glob)?.[1]?.split(',') ?? []);
  const searched = [...within, ...Object.keys(packages), ...WITHOUT_TYPESCRIPT];
  expect(listFolders('.').filter((name) => !searched.includes(name))).toEqual([]);
});
