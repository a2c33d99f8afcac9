import { readFileSync } from 'node:fs';
import path from 'node:path';
import { type StartedMirror, startMirror } from '../../../local/mirror/start.ts';
import { PROJECT_FOLDER } from '../../../local/paths.ts';
import { E2E_PACKS, MAP_FOLDER } from './packs.ts';

/** The places to predict; test/integration/mirror has more. */
const PLACES = 'iowa,fiji_west,fiji_east';

export function servePublishedMap(): Promise<StartedMirror> {
  const manifest = path.join(PROJECT_FOLDER, 'models', 'openlandmap-soc', 'manifest.json');
  const { error } = JSON.parse(readFileSync(manifest, 'utf8'));
  const correlation = { model: 'exponential', nugget: 0.3, range_m: 500 };
  return startMirror({
    folder: MAP_FOLDER,
    made: ['--layers', 'm_120m,p16_120m,p84_120m', '--places', PLACES],
    // Unlike the real map, this pack declares a correlation of errors, so that areas have an interval. Only
    // jobs that name the pack run on it, because other jobs outside all packs must still fail.
    packs: [
      {
        pack: 'openlandmap-soc',
        changes: { by_name_only: true, error: { ...error, correlation } },
      },
    ],
    packsFolder: path.join(PROJECT_FOLDER, E2E_PACKS),
  });
}
