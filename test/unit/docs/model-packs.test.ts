import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { manifestSchema } from '../../../engine/model/pack/manifest.ts';
import project from '../../../package.json' with { type: 'json' };

const page = readFileSync('docs/model-packs.md', 'utf8');

it('the page about model packs explains every field of a manifest', () => {
  const [section = ''] = page.slice(page.indexOf('## The manifest')).split('\n## ');
  const table = section.slice(section.indexOf('| field'));
  const explained = [...table.matchAll(/^\| (`[^|]+) +\|/gm)].flatMap((row) =>
    [...(row[1] ?? '').matchAll(/`(\w+)`/g)].map((name) => name[1] ?? ''),
  );
  expect(explained.sort()).toEqual(Object.keys(manifestSchema.shape).sort());
});

it('the page about model packs names commands and converters that exist', () => {
  const commands = [...page.matchAll(/npm run (?:--silent )?([\w-]+)/g)].map(([, name]) => name);
  expect(commands).toContain('pack-check');
  for (const name of commands) expect(Object.keys(project.scripts)).toContain(name);
  const modules = [...page.matchAll(/(?:-m|from) soil_packs\.(\w+)/g)].map(([, name]) => name);
  expect(modules).toContain('lightgbm_to_onnx');
  for (const name of modules) {
    expect(readFileSync(`models/tools/soil_packs/${name}.py`, 'utf8')).not.toBe('');
  }
});
