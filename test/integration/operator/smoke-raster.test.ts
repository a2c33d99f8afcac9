import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Job } from '../../../bin/smoke/batches.ts';
import { Skipped } from '../../../bin/smoke/check.ts';
import { largestOf } from '../../../bin/smoke/large-raster.ts';

const folder = mkdtempSync(join(tmpdir(), 'smoke-raster-'));

/** A raster of random cells, which do not compress: four bytes each. */
function makeRaster(name: string, edge: number): Buffer {
  const path = join(folder, name);
  const script = `
import numpy, rasterio, sys
from rasterio.transform import from_origin
path, edge = sys.argv[1], int(sys.argv[2])
cells = numpy.random.default_rng(1).random((edge, edge), numpy.float32)
with rasterio.open(path, "w", driver="COG", width=edge, height=edge, count=1, dtype="float32", nodata=-9999,
                   crs="EPSG:28992", transform=from_origin(178440, 333760, 10, 10), blocksize=256) as raster:
    raster.write(cells, 1)`;
  execFileSync('.local/venv/bin/python', ['-c', script, path, String(edge)]);
  return readFileSync(path);
}

/** Responds to ranges as S3 does. */
function serve(files: Readonly<Record<string, Buffer>>): Server {
  return createServer((request, response) => {
    const file = files[request.url?.slice(1) ?? ''] ?? Buffer.alloc(0);
    const [, from = '0', to = ''] = /bytes=(\d+)-(\d*)/.exec(request.headers.range ?? '') ?? [];
    const end = Math.min(to === '' ? file.length : Number(to) + 1, file.length);
    response.writeHead(206, { 'content-range': `bytes ${from}-${end - 1}/${file.length}` });
    response.end(file.subarray(Number(from), end));
  });
}

let server: Server;
let base: string;

beforeAll(async () => {
  server = serve({ small: makeRaster('small.tif', 256), large: makeRaster('large.tif', 1_800) });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  base = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
  rmSync(folder, { recursive: true });
});

function job(name: string): Job {
  return {
    ...{ job_id: name, job_index: 0, status: 'completed' },
    ...{ signed_cog_url: `${base}/${name}`, signed_url_expires_at: null },
    ...{ error_code: null, error_message: null },
  };
}

it('opens the largest result if it is over 10 MiB', async () => {
  expect(await largestOf([job('small'), job('large')])).toMatch(
    /^1800 × 1800 × 1 cells, EPSG:28992, .* 1\d{7} bytes/,
  );
});

it('is skipped, with the size, if there is none', async () => {
  const skipped = largestOf([job('small')]);
  await expect(skipped).rejects.toThrow(Skipped);
  await expect(skipped).rejects.toThrow(/0\.\d MiB: use --batch/);
});
