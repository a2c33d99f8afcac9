import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import { type FilesByName, ROOT } from './build-cache.ts';

/**
 * Packages that ship no licence file. The copyright line is quoted from the package's code, and the text comes from
 * another package with the same licence.
 */
const WITHOUT_FILE: Readonly<Record<string, { copyright: string; textIn: string }>> = {
  'node_modules/lerc': {
    copyright: 'Copyright 2015-2021 Esri',
    textIn: 'node_modules/web-worker/LICENSE',
  },
};

const RULE = '='.repeat(80);
const LICENCE_FILE = /^(licence|license|copying)(\.(md|txt))?$/i;

const packageSchema = z.object({
  name: z.string(),
  version: z.string(),
  license: z.string(),
  author: z
    .union([z.string(), z.object({ name: z.string() }).transform(({ name }) => name)])
    .default(''),
});

/**
 * Collects the licences of all packages in one file, because most licences require copies of the software to contain
 * them.
 * @param packages folders, relative to the project's root
 */
export function collectLicences(packages: readonly string[]): FilesByName {
  const text = [
    'The console of Soil Batch, under the Apache License 2.0, contains these packages:',
    ...packages.map(readLicence),
  ].join('\n\n');
  const digest = createHash('sha256').update(text).digest('hex');
  return { [`licences-${digest.slice(0, 8).toUpperCase()}.txt`]: `${text}\n` };
}

function readLicence(folder: string): string {
  const { name, version, license, author } = packageSchema.parse(
    JSON.parse(readFileSync(join(ROOT, folder, 'package.json'), 'utf8')),
  );
  const heading = [`${name} ${version}`, license, author].filter((part) => part !== '').join(', ');
  const own = readdirSync(join(ROOT, folder)).find((file) => LICENCE_FILE.test(file));
  const without = WITHOUT_FILE[folder];
  if (own !== undefined) return [RULE, heading, '', readLicenceText(join(folder, own))].join('\n');
  if (without === undefined) throw new Error(`the package ${name} contains no licence file`);
  return [RULE, heading, '', without.copyright, '', readLicenceText(without.textIn)].join('\n');
}

function readLicenceText(file: string): string {
  return readFileSync(join(ROOT, file), 'utf8').trim().replaceAll('\r\n', '\n');
}
