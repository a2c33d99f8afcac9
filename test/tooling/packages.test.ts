import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const run = promisify(execFile);
let folder = '';

/** Installs the archive of `npm run pack` in an empty folder, as a user would. */
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'soil-batch-packages-'));
  const { stdout } = await run('node_modules/.bin/tsx', ['bin/pack.ts', folder]);
  await writeFile(join(folder, 'package.json'), '{ "type": "module", "private": true }');
  const install = ['install', '--ignore-scripts', '--prefer-offline', '--no-audit', '--no-fund'];
  await run('npm', [...install, stdout.trim()], { cwd: folder });
});
afterAll(() => rm(folder, { recursive: true }));

const installedFolder = () => join(folder, 'node_modules', 'soil-batch-client');

describe('the package of the client', () => {
  it('contains modules and types, but no dependencies or sources', async () => {
    const manifest = JSON.parse(await readFile(join(installedFolder(), 'package.json'), 'utf8'));
    expect(manifest.dependencies).toBeUndefined();
    const { stdout } = await run('find', [installedFolder(), '-type', 'f']);
    const files = stdout.trim().split('\n');
    const unexpected = files.filter(
      (file) => !/\.(js|d\.ts)$|package\.json$|README\.md$|LICENSE$/.test(file),
    );
    expect(unexpected).toEqual([]);
    expect(files.some((file) => file.endsWith('LICENSE'))).toBe(true);
    expect(files.filter((file) => file.endsWith('.js')).length).toBeGreaterThan(20);
  });

  it('runs in the Node version of the tests, without flags', async () => {
    const program = `
      import { SoilClient, SoilError } from 'soil-batch-client';
      const client = new SoilClient({ baseUrl: 'http://127.0.0.1:1', apiKey: 'k', retries: { attempts: 1 } });
      const error = await client.usage().catch((error) => error);
      console.log(error instanceof SoilError, error.type);`;
    await writeFile(join(folder, 'program.js'), program);
    const { stdout } = await run(process.execPath, ['program.js'], { cwd: folder });
    expect(stdout.trim()).toBe('true network');
  });

  it.each([
    ['Node', ['ES2023'], ['node'], 'nodenext'],
    ['a bundler for browsers', ['ES2023', 'DOM'], [], 'bundler'],
  ])(
    'has README examples that compile for %s in strict mode',
    async (name, lib, types, moduleResolution) => {
      const examples = [
        ...(await readFile('client/README.md', 'utf8')).matchAll(/```ts\n(.*?)```/gs),
      ];
      expect(examples.length).toBeGreaterThan(1);
      const project = join(folder, name.replaceAll(' ', '-'));
      await mkdir(project);
      const forBrowsers = types.length === 0;
      for (const [index, [, code = '']] of examples.entries()) {
        if (forBrowsers && code.includes('node:')) continue;
        await writeFile(join(project, `example-${index}.ts`), code);
      }
      const typeRoots = [resolve('node_modules/@types')];
      const module = moduleResolution === 'nodenext' ? 'nodenext' : 'esnext';
      const compilerOptions = {
        ...{ target: 'ES2023', lib, types, typeRoots, module, moduleResolution },
        ...{ strict: true, exactOptionalPropertyTypes: true, noUncheckedIndexedAccess: true },
        ...{ noEmit: true, skipLibCheck: false, verbatimModuleSyntax: true },
      };
      await writeFile(join(project, 'package.json'), '{ "type": "module" }');
      await writeFile(join(project, 'tsconfig.json'), JSON.stringify({ compilerOptions }));
      const compiled = await run(resolve('node_modules/.bin/tsc'), ['-p', project]).then(
        () => '',
        ({ stdout }: { readonly stdout: string }) => stdout,
      );
      // Ignore errors in the types of Node itself.
      expect(compiled.split('\n').filter((line) => line.includes('soil-batch'))).toEqual([]);
    },
  );
});
