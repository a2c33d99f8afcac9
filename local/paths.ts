import path from 'node:path';
import { fileURLToPath } from 'node:url';

/** The clone's root folder. */
export const PROJECT_FOLDER = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');

/** Everything the local platform makes: never committed, safe to delete. */
export const LOCAL_FOLDER = path.join(PROJECT_FOLDER, '.local');

/** Where `npm start` describes the running service. */
export const SERVICE_FILE = path.join(LOCAL_FOLDER, 'service.json');

/** The same for shells: `source .local/service.env`. */
export const SERVICE_ENV_FILE = path.join(LOCAL_FOLDER, 'service.env');
