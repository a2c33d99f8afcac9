import { execFile } from 'node:child_process';
import { cpSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import type { DevConsole } from './dev-console.ts';

/** Runs the Python command on the example fields, like the README. @returns the URL of the report that it writes */
export async function writeReport({ url, apiKey }: DevConsole): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'soil-batch-report-'));
  cpSync('examples/fields.gpkg', join(folder, 'fields.gpkg'));
  const args = ['run', 'fields.gpkg', '--year', '2021', '--name-field', 'id', '--yes'];
  await promisify(execFile)(resolve('.local/venv/bin/soil-batch'), args, {
    cwd: folder,
    env: { SOIL_BASE_URL: url, SOIL_API_KEY: apiKey },
  });
  return pathToFileURL(join(folder, 'fields_2021', 'report.html')).href;
}
