import { isBuiltin } from 'node:module';
import { describe, expect, it } from 'vitest';
import onnxRuntime from '../../../models/onnx-runtime/package.json' with { type: 'json' };
import project from '../../../package.json' with { type: 'json' };
import { listImports } from './imports.ts';

/** Packages that are run as commands, so no code imports them. */
const COMMANDS = [
  '@biomejs/biome',
  '@redocly/cli',
  'assemblyscript',
  'aws-cdk',
  'concurrently',
  'cspell',
  'knip',
  'tsx',
  'typescript',
];
const TYPES = '@types/';

const deployed = [
  ...Object.keys(project.dependencies),
  ...Object.keys(onnxRuntime.dependencies),
].sort();
const others = Object.keys(project.devDependencies);

/** Lists the packages that the files in these folders import, including type-only imports. */
function listImportedBy(...folders: readonly string[]): readonly string[] {
  const targets = folders.flatMap(listImports).map(({ target }) => target);
  // A path within the project begins with its folder.
  const names = targets
    .filter(
      (target) =>
        !/^(bench|bin|client|console|engine|examples|lambdas|lib|local|models|test)\//.test(target),
    )
    .filter((target) => target !== 'package.json' && !isBuiltin(target))
    .map((target) => /^(@[^/]+\/)?[^/]+/.exec(target)?.[0] ?? target);
  return [...new Set(names)].sort();
}

describe('packages', () => {
  it('in the dependencies are exactly those that functions and the console import', () => {
    const isForTypes = (name: string) => !deployed.includes(name) && others.includes(TYPES + name);
    const folders = ['console', 'engine', 'lambdas'];
    const packages = listImportedBy(...folders).filter((name) => name !== 'soil-batch-client');
    expect(packages.filter((name) => !isForTypes(name))).toEqual(deployed);
  });

  it('in the development dependencies are imported, run as commands or used for their types', () => {
    const folders = [
      'bench',
      'bin',
      'console',
      'docs',
      'engine',
      'lambdas',
      'lib',
      'local',
      'test',
    ];
    const used = [...listImportedBy(...folders), ...COMMANDS];
    const types = [...used, 'node'].map((name) => TYPES + name);
    expect(others.filter((name) => ![...used, ...types].includes(name))).toEqual([]);
  });
});
