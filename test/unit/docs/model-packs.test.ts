import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { coverageOffGrid } from '../../../engine/model/pack/coverage-off-grid.ts';
import { manifestSchema } from '../../../engine/model/pack/manifest.ts';
import { loadPack } from '../../../engine/model/pack/pack.ts';
import project from '../../../package.json' with { type: 'json' };
import { filesOf } from '../../support/model/builders.ts';

const page = readFileSync('docs/model-packs.md', 'utf8');
const [, example = ''] = /## The manifest\n\n```json\n(.*?)```/s.exec(page) ?? [];

describe('the page about model packs: its example of a manifest', () => {
  it('can be deployed', async () => {
    const files = filesOf({ 'manifest.json': new TextEncoder().encode(example) });
    const { manifest } = await loadPack(files);
    expect(coverageOffGrid(manifest)).toEqual([]);
    const { distribution, graph } = manifest;
    expect(1 + (distribution?.thresholds.length ?? 0)).toBe(graph?.targets);
  });

  it('has every field of the schema', () => {
    const fields = Object.keys(manifestSchema.shape).sort();
    expect(Object.keys(JSON.parse(example)).sort()).toEqual(fields);
  });
});

it('the page about model packs explains every field of a manifest', () => {
  const [section = ''] = page.slice(page.indexOf('## The manifest')).split('\n## ');
  const table = section.slice(section.indexOf('| field'));
  const explained = [...table.matchAll(/^\| (`[^|]+) +\|/gm)].flatMap((row) =>
    [...(row[1] ?? '').matchAll(/`(\w+)`/g)].map((name) => name[1] ?? ''),
  );
  expect(['schema', ...explained].sort()).toEqual(Object.keys(manifestSchema.shape).sort());
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
