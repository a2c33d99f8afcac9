import { expect, it } from 'vitest';
import { GdalCrash, runInThread } from '../../../cli/src/gdal/run-in-thread.ts';

it('a crash of GDAL ends its thread, not the program', async () => {
  // Emscripten throws when it mounts a folder that is not there, outside what GDAL reports.
  const task = { kind: 'build-mosaics', folder: '/nowhere', mosaics: [] } as const;
  await expect(runInThread(task)).rejects.toThrow(GdalCrash);
  const mosaics = [{ file: 'a.vrt', rasters: ['missing.tif'] }];
  await expect(
    runInThread({ kind: 'build-mosaics', folder: import.meta.dirname, mosaics }),
  ).resolves.toMatchObject({ outcome: 'failed', reason: expect.stringContaining('missing.tif') });
});
