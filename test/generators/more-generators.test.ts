import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { openApiDocument } from '../../lambdas/api/specification/document.ts';
import { command, withDocument } from '../support/generators.ts';

const document = openApiDocument({
  deployment: 'v2',
  baseUrl: 'https://v2.soil.example',
  version: '1.2.3',
});

it.each([
  ['@hey-api/openapi-ts', 'openapi-ts', ['--input', 'openapi.json', '--output', 'client']],
  [
    'orval, fetch',
    'orval',
    ['--input', 'openapi.json', '--output', 'client/orval.ts', '--client', 'fetch'],
  ],
  [
    'orval, zod',
    'orval',
    ['--input', 'openapi.json', '--output', 'client/orval.ts', '--client', 'zod'],
  ],
] as const)('%s generates a client that compiles', async (_, program, args) => {
  await withDocument(document, async (folder) => {
    await command(folder, program, ...args);
    await writeFile(
      join(folder, 'tsconfig.json'),
      JSON.stringify({
        compilerOptions: {
          target: 'ES2022',
          lib: ['ES2022', 'DOM', 'DOM.Iterable'],
          module: 'ESNext',
          moduleResolution: 'bundler',
          types: [],
          strict: true,
          noEmit: true,
        },
        include: ['client'],
      }),
    );
    await expect(command(folder, 'tsc', '-p', '.')).resolves.toBeUndefined();
  });
});
