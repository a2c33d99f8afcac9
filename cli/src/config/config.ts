import { baseUrlOf, SoilError } from 'soil-batch-client';
import { usageError } from '../exit-code.ts';
import { type ConfigFile, configPath, type Environment, readConfigFile } from './config-file.ts';

/** Which service, and as whom. */
export interface Connection {
  /** Without a trailing slash. */
  readonly baseUrl: string;
  readonly apiKey: string;
}

/** Where a clone finds its local service when nothing is configured. */
export interface ConnectionFile {
  readonly path: string;
  readonly read: () => Promise<Connection | undefined>;
}

export interface ConnectionSources {
  readonly env: Environment;
  /** `--base-url`. */
  readonly baseUrl: string | undefined;
  readonly fallback: ConnectionFile | undefined;
}

/**
 * The connection of the option, the environment, the config file, in this order; else of the fallback,
 * which `onFallback` announces.
 * @throws CliError
 */
export async function findConnection(
  { env, baseUrl, fallback }: ConnectionSources,
  onFallback: (path: string) => void,
): Promise<Connection> {
  const file = await readConfigFile(configPath(env));
  const elsewhere = given(baseUrl) ?? given(env['SOIL_BASE_URL']) ?? given(env['V2_URL']);
  const url = elsewhere ?? file?.base_url;
  const key = given(env['SOIL_API_KEY']) ?? given(env['API_KEY']) ?? keyFor(elsewhere, file);
  if (url === undefined && key === undefined) {
    const local = await fallback?.read();
    if (fallback !== undefined && local !== undefined) {
      onFallback(fallback.path);
      return { ...local, baseUrl: checkedUrl(local.baseUrl) };
    }
  }
  if (url === undefined) {
    throw usageError(
      `no service is configured: set SOIL_BASE_URL, or base_url in ${configPath(env)}${startHint(fallback)}`,
    );
  }
  if (key === undefined) {
    throw usageError(
      file?.api_key === undefined
        ? `no API key is configured: set SOIL_API_KEY, or api_key in ${configPath(env)}`
        : `no API key is configured for ${checkedUrl(url)}: set SOIL_API_KEY (the key in ${configPath(env)} goes to its base_url only)`,
    );
  }
  return { baseUrl: checkedUrl(url), apiKey: checkedKey(key) };
}

/** The key of the file, but not for another service than the file's: no stranger's host receives it. */
function keyFor(url: string | undefined, file: ConfigFile | undefined): string | undefined {
  const isOther =
    url !== undefined &&
    file?.base_url !== undefined &&
    checkedUrl(url) !== checkedUrl(file.base_url);
  return isOther ? undefined : file?.api_key;
}

function startHint(fallback: ConnectionFile | undefined): string {
  return fallback === undefined ? '' : ', or run "npm start" for a service on this machine';
}

/** An empty variable counts as not set. */
function given(text: string | undefined): string | undefined {
  const trimmed = text?.trim();
  return trimmed === '' ? undefined : trimmed;
}

/** A key that an HTTP header can carry (RFC 9110, section 5.5). */
function checkedKey(key: string): string {
  if (/^[\x21-\x7e]+$/.test(key)) return key;
  throw usageError('the API key contains characters that no key has: copy it again');
}

function checkedUrl(text: string): string {
  try {
    return baseUrlOf(text);
  } catch (error) {
    throw error instanceof SoilError ? usageError(error.message) : error;
  }
}
