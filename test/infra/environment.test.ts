import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { describe, expect, it } from 'vitest';
import { synthesise } from './synthesised.ts';

const lambdas = fileURLToPath(new URL('../../lambdas/', import.meta.url));

/** Set by the runtime, not by us. */
const GIVEN_BY_LAMBDA = ['AWS_REGION', 'LAMBDA_TASK_ROOT'];

/** Read by the runtime and by libraries, not by our code. */
const FOR_OTHERS = ['NODE_OPTIONS', 'POWERTOOLS_SERVICE_NAME'];

const { functions, ofType } = synthesise('prod');

describe('the environment of every function', () => {
  it.each(functions.map((fn) => [fn.handlerFile, fn] as const))(
    '%s: what its code reads, no more and no less',
    async (file, fn) => {
      const read = (await namesRead(file)).filter((name) => !GIVEN_BY_LAMBDA.includes(name));
      const [resource] = ofType('AWS::Lambda::Function').filter(
        ({ id }) => id === fn.stack.getLogicalId(fn.node.defaultChild as never),
      );
      const environment = resource?.properties['Environment'] as { Variables: object };
      const given = Object.keys(environment.Variables).filter((name) => !FOR_OTHERS.includes(name));
      expect(given.sort()).toEqual([...new Set(read)].sort());
    },
  );
});

/** The names in calls of `environment(…)` that are left when unused code is gone. */
async function namesRead(file: string): Promise<readonly string[]> {
  const { outputFiles } = await build({
    entryPoints: [`${lambdas}${file}.ts`],
    bundle: true,
    write: false,
    format: 'esm',
    platform: 'node',
    packages: 'external',
    treeShaking: true,
  });
  const code = outputFiles.map(({ text }) => text).join('');
  return [...code.matchAll(/[^\w.]environment\(([^)]*)\)/g)].flatMap(([, names = '']) =>
    [...names.matchAll(/"([A-Z_]+)"/g)].map(([, name = '']) => name),
  );
}
