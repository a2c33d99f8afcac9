import { execFile, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type CliService, startCliService } from '../../support/cli-service.ts';
import { programOf } from '../../support/program.ts';
import { writeFields } from './field-files.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'cli-full-'));
/** A mount namespace of its own, so that a small disk can be mounted without being root. */
const NAMESPACE = ['--user', '--map-root-user', '--mount'];
const canMount = spawnSync('unshare', [...NAMESPACE, 'true']).status === 0;
let service: CliService;

beforeAll(async () => {
  service = await startCliService();
  mkdirSync(path.join(folder, 'maps'));
  writeFields(path.join(folder, 'fields.geojson'), [{ id: 'a' }, { id: 'b' }]);
});

afterAll(async () => {
  await service.close();
  rmSync(folder, { recursive: true });
});

/** The same command on disks that have no room for the run file, for a raster, and enough. */
const SCRIPT = `
run() {
  "$NODE" "$PROGRAM" run fields.geojson --year 2021 --out maps --yes 2>&1 >/dev/null
  echo "exit $?"
  (cd maps && ls | grep -v part | xargs -r md5sum)
}
mount -t tmpfs -o size=8k tmpfs maps
run
mount -o remount,size=28k maps
run
mount -o remount,size=10m maps
run
`;

it.runIf(canMount)(
  'a full disk is named, leaves no half file, and the same command continues once there is room',
  async () => {
    const env = {
      ...{ PATH: process.env['PATH'], HOME: '/nonexistent', NODE: process.execPath },
      PROGRAM: await programOf('local/cli.ts'),
      ...{ SOIL_BASE_URL: service.url, SOIL_API_KEY: service.apiKey },
    };
    const args = [...NAMESPACE, 'sh', '-c', SCRIPT];
    const { stdout } = await promisify(execFile)('unshare', args, { cwd: folder, env });
    const [noRunFile, noRaster, filesThen = '', ...more] = stdout.split(/exit 1\n/);
    for (const failure of [noRunFile, noRaster]) {
      expect(failure?.trimEnd().split('\n').at(-1)).toMatch(/^soil-batch: .*the disk is full/);
    }
    expect(more).toEqual([]);
    const [whileFull = '', complete = ''] = filesThen.split('exit 0\n');
    expect(complete.match(/field-\d_2021\.tif$/gm)).toHaveLength(2);
    for (const line of whileFull.match(/^.*\.tif$/gm) ?? []) expect(complete).toContain(line);
    expect(service.requests.filter((one) => one === 'POST /v1/batch')).toHaveLength(1);
  },
);
