import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { manifestSchema } from '../../../engine/model/pack/manifest.ts';
import project from '../../../package.json' with { type: 'json' };

const howTo = readFileSync('docs/model-packs.md', 'utf8');
const reference = readFileSync('docs/manifest.md', 'utf8');

it('the page about the manifest explains every field of a manifest', () => {
  const [intro = ''] = reference.split('\n## ');
  const table = intro.slice(intro.indexOf('| field'));
  const explained = [...table.matchAll(/^\| (`[^|]+) +\|/gm)].flatMap((row) =>
    [...(row[1] ?? '').matchAll(/`(\w+)`/g)].map((name) => name[1] ?? ''),
  );
  expect(explained.sort()).toEqual(Object.keys(manifestSchema.shape).sort());
});

it('the pages about model packs name commands and converters that exist', () => {
  const text = howTo + reference;
  const commands = [...text.matchAll(/npm run (?:--silent )?([\w-]+)/g)].map(([, name]) => name);
  expect(commands).toEqual(expect.arrayContaining(['pack-check', 'pack-errors']));
  for (const name of commands) expect(Object.keys(project.scripts)).toContain(name);
  const modules = [...text.matchAll(/(?:-m|from) soil_packs\.(\w+)/g)].map(([, name]) => name);
  expect(modules).toContain('lightgbm_to_onnx');
  for (const name of modules) {
    expect(readFileSync(`models/tools/soil_packs/${name}.py`, 'utf8')).not.toBe('');
  }
});
