import { open } from 'node:fs/promises';
import { homedir } from 'node:os';
import path from 'node:path';
import * as z from 'zod';
import { CliError, usageError } from '../exit-code.ts';

const configFile = z.strictObject({
  base_url: z.string().min(1).optional(),
  api_key: z.string().min(1).optional(),
});

export type ConfigFile = Readonly<z.infer<typeof configFile>>;

export type Environment = Readonly<Record<string, string | undefined>>;

/** Permissions of others than the owner. */
const OTHERS = 0o077;

/** By the XDG Base Directory Specification, on every system. */
export function configPath(env: Environment): string {
  const configured = env['XDG_CONFIG_HOME'];
  // A relative path counts as not set, as the specification says.
  const folder =
    configured !== undefined && path.isAbsolute(configured)
      ? configured
      : path.join(env['HOME'] ?? homedir(), '.config');
  return path.join(folder, 'soil-batch', 'config.json');
}

/**
 * Undefined if there is no file.
 * @throws CliError for a file that others may read, or that is invalid
 */
export async function readConfigFile(file: string): Promise<ConfigFile | undefined> {
  const text = await readPrivately(file);
  if (text === undefined) return undefined;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    // The parser's own message would quote the text, and so the key.
    throw usageError(`${file} is not JSON: expected {"base_url": "https://…", "api_key": "…"}`);
  }
  const parsed = configFile.safeParse(value);
  if (parsed.success) return parsed.data;
  throw usageError(`${file} is not valid: expected only base_url and api_key, both non-empty text`);
}

/** Permissions and text of the same file, though it may be replaced meanwhile. */
async function readPrivately(file: string): Promise<string | undefined> {
  const handle = await open(file).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return undefined;
    throw new CliError(`${file} cannot be read: ${error.message}`);
  });
  if (handle === undefined) return undefined;
  try {
    const { mode } = await handle.stat();
    if (process.platform !== 'win32' && (mode & OTHERS) !== 0) {
      throw usageError(
        `${file} holds a key and others can read it; run: chmod 600 ${quoted(file)}`,
      );
    }
    return await handle.readFile('utf8');
  } finally {
    await handle.close();
  }
}

/** For a POSIX shell. */
function quoted(file: string): string {
  return /^[\w./-]+$/.test(file) ? file : `'${file.replaceAll("'", "'\\''")}'`;
}
