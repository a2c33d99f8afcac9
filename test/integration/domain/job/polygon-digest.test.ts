import { execFileSync } from 'node:child_process';
import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { polygonDigest } from '../../../../lambdas/domain/job/finishing/provenance.ts';

it('the digest of a polygon equals the result of the Python example', () => {
  const odd = [5, -0, 1e-7, 1.5e-7, 1e-6, 123456.75, 1e16, 1e20, 1e21, 5e-324, 2 ** 53, 0.1 + 0.2];
  const polygons = [
    { type: 'Polygon', coordinates: [[odd, [5.7345, 50.9665]]] },
    {
      type: 'Feature',
      id: 'é "1"\n\u2028\ud800😀',
      properties: { b: 1, 10: null, 2: true },
      geometry: null,
    },
    ...fc.sample(fc.jsonValue(), 200),
    ...fc.sample(fc.dictionary(fc.string({ unit: 'binary' }), fc.double({ noNaN: true })), 200),
  ];
  const lines = polygons.map((polygon) => `${JSON.stringify(polygon)}\n`);
  const printed = execFileSync('.local/venv/bin/python', ['examples/polygon_sha256.py'], {
    input: lines.join(''),
    encoding: 'utf8',
  });
  // This is how the service reads a request.
  const digests = lines.map((line) => polygonDigest(JSON.parse(line)));
  expect(printed.trim().split('\n')).toEqual(digests);
});
