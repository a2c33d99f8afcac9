import path from 'node:path';
import { fileURLToPath } from 'node:url';

export const PROJECT_FOLDER = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');

/** The folder of the local service's generated files, which are never committed and are safe to delete. */
export const LOCAL_FOLDER = path.join(PROJECT_FOLDER, '.local');

/** The description of the running service as shell variables, for `source .local/service.env`. */
export const SERVICE_ENV_FILE = path.join(LOCAL_FOLDER, 'service.env');
