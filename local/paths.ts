import path from 'node:path';
import { fileURLToPath } from 'node:url';

/** The project's root folder. */
export const PROJECT_FOLDER = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');

/** Generated files of the local service: never committed, safe to delete. */
export const LOCAL_FOLDER = path.join(PROJECT_FOLDER, '.local');

/** The description of the running service as shell variables: `source .local/service.env`. */
export const SERVICE_ENV_FILE = path.join(LOCAL_FOLDER, 'service.env');
