import { getDecoder } from 'geotiff';
import { expect, it } from 'vitest';
import '../../../console/map/zstd.ts';

const TEXT = 'soil, soil, soil, soil, soil, soil';

const PARAMETERS = {
  tileWidth: TEXT.length,
  tileHeight: 1,
  predictor: 1,
  bitsPerSample: [8],
  planarConfiguration: 1,
};

it.each([
  ['Node, whose frames state their size', '28b52ffd202265000030736f696c2c200100614a11'],
  ['the streaming API of zstd, which GDAL uses', '28b52ffd005865000030736f696c2c200100614a11'],
])('the console decompresses tiles compressed by %s', async (_, hex) => {
  const decoder = await getDecoder(50_000, PARAMETERS);
  const bytes = Uint8Array.from(Buffer.from(hex, 'hex'));
  const decoded = await decoder.decode(bytes.buffer);
  expect(Buffer.from(decoded).toString()).toBe(TEXT);
});
