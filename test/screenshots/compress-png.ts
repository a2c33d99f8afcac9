import { deflateSync } from 'node:zlib';
import { PNG } from 'pngjs';

const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
const PALETTE = 3;
const MOST_COLOURS = 256;

/**
 * A screenshot with a palette, about a third of its size (PNG, W3C Recommendation of 2003, 11.2.3). `pngjs`
 * reads palettes but does not write them.
 */
export function compressPng(image: Buffer): Buffer {
  const { width, height, data } = PNG.sync.read(image);
  const colours = new Uint32Array(width * height).map((_, at) => data.readUInt32BE(4 * at) >>> 8);
  const similar = similarTo(colours);
  const palette = [...new Set(similar.values())];
  const indices = new Map(palette.map((colour, index) => [colour, index]));
  const rows = Buffer.alloc((width + 1) * height);
  for (const [at, colour] of colours.entries()) {
    // Each row starts with its filter, which is none.
    rows[at + Math.floor(at / width) + 1] = indices.get(similar.get(colour) ?? colour) ?? 0;
  }
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, PALETTE], 8);
  return Buffer.concat([
    SIGNATURE,
    chunk('IHDR', header),
    chunk('PLTE', Buffer.from(palette.flatMap(channels))),
    chunk('IDAT', deflateSync(rows, { level: 9 })),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

/** The most frequent of similar colours stands for them all; a palette's length decides what is similar. */
function similarTo(colours: Uint32Array): ReadonlyMap<number, number> {
  const counts = new Map<number, number>();
  for (const colour of colours) counts.set(colour, (counts.get(colour) ?? 0) + 1);
  const byFrequency = [...counts].toSorted(([, a], [, b]) => b - a).map(([colour]) => colour);
  for (let step = 1; ; step++) {
    const first = new Map<string, number>();
    const similar = new Map<number, number>();
    for (const colour of byFrequency) {
      const bucket = channels(colour)
        .map((channel) => Math.floor(channel / step))
        .join();
      if (!first.has(bucket)) first.set(bucket, colour);
      similar.set(colour, first.get(bucket) ?? colour);
    }
    if (first.size <= MOST_COLOURS) return similar;
  }
}

const channels = (colour: number) => [colour >> 16, (colour >> 8) & 255, colour & 255];

function chunk(type: string, content: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), content]);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(content.length);
  const check = Buffer.alloc(4);
  check.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, check]);
}

/** Node has the same as `zlib.crc32` since 20.15. */
function crc32(bytes: Buffer): number {
  let crc = 0xffffffff;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0);
  }
  return (crc ^ 0xffffffff) >>> 0;
}
