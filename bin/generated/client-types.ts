import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { PROBLEM_TYPES } from '../../lambdas/api/http/problem-types.ts';
import { openApiDocument } from '../../lambdas/api/specification/document.ts';
import project from '../../package.json' with { type: 'json' };
import { CommandError } from '../operator/command.ts';

const GENERATOR = join(
  import.meta.dirname,
  '../../test/generators/node_modules/.bin/openapi-typescript',
);

/**
 * The TypeScript types of V2's OpenAPI document, which includes V1's.
 * @throws CommandError if the generator is not installed
 */
export async function generateClientTypes(): Promise<string> {
  if (!existsSync(GENERATOR)) {
    throw new CommandError('openapi-typescript is missing. Run `npm run setup:tests`.', 1);
  }
  const document = openApiDocument({
    deployment: 'v2',
    baseUrl: 'https://v2.soil.example',
    version: project.version,
  });
  const folder = await mkdtemp(join(tmpdir(), 'soil-batch-types-'));
  try {
    const source = join(folder, 'openapi.json');
    const target = join(folder, 'openapi.ts');
    await writeFile(source, JSON.stringify(document, dropProse));
    await promisify(execFile)(GENERATOR, [
      ...[source, '--output', target],
      ...['--immutable', '--empty-objects-unknown'],
      ...['--root-types', '--root-types-no-schema-prefix'],
    ]);
    return `${await readFile(target, 'utf8')}\n${generateProblemTypes()}`;
  } finally {
    await rm(folder, { recursive: true });
  }
}

/**
 * Drops most of the generated text, which the client does not need: every problem has the schema `Problem`, and the
 * client's methods describe the operations.
 */
function dropProse(name: string, value: unknown): unknown {
  if (name === 'example') return undefined;
  if (typeof value !== 'object' || value === null) return value;
  if ('operationId' in value) return { ...value, summary: undefined, description: undefined };
  if (name !== 'responses') return value;
  return Object.fromEntries(Object.entries(value).filter(([status]) => /^[23]/.test(status)));
}

/**
 * Generates the problem types, because the document lists each operation's problems in an extension that the generator
 * ignores.
 */
function generateProblemTypes(): string {
  const union = Object.keys(PROBLEM_TYPES).map((slug) => `  | "${slug}"`);
  return `/** The problems of the API, by the last part of their \`type\`. */\nexport type ProblemType =\n${union.join('\n')};\n`;
}
