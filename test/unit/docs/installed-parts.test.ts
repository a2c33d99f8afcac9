import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

/** By the argument of `local/setup.mjs`, which cannot be imported because it runs the setup. */
const SIZES = new Map(
  [
    ...readFileSync('local/setup.mjs', 'utf8').matchAll(
      /^const (\w+) = \{\n {2}what: '[^']+',\n {2}sizeMb: (\d+),$/gm,
    ),
  ].map(([, name = '', size]) => [name, Number(size)]),
);

it('README.md gives what the demo and the tests install', () => {
  const demo = (SIZES.get('packages') ?? 0) + (SIZES.get('emulator') ?? 0);
  const all = [...SIZES].reduce((sum, [name, size]) => sum + (name === 'node24' ? 0 : size), 0);
  const text = readFileSync('README.md', 'utf8').replace(/\s+/g, ' ');
  expect(SIZES.size).toBe(10);
  expect(text).toContain(`about ${demo} MB for the demo`);
  expect(text).toContain(`${((all - demo) / 1000).toFixed(1)} GB more for the tests`);
});

it('the error of a missing ONNX Runtime gives its size', () => {
  const text = readFileSync('engine/model/onnx/errors.ts', 'utf8');
  expect(text).toContain(`(about ${SIZES.get('onnxRuntime')} MB)`);
});
