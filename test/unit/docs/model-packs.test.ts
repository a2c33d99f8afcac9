import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { manifestSchema } from '../../../engine/model/pack/manifest.ts';

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

it('the pages about model packs only name modules of soil_packs that exist', () => {
  const modules = [...(howTo + reference).matchAll(/(?:-m|from) soil_packs\.(\w+)/g)];
  expect(modules.map(([, name]) => name)).toContain('lightgbm_to_onnx');
  for (const [, name] of modules) {
    expect(readFileSync(`models/tools/soil_packs/${name}.py`, 'utf8')).not.toBe('');
  }
});
