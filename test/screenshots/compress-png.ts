import { decode, encode } from 'fast-png';

const MOST_COLOURS = 256;
/** The number of most frequent colours that are kept exactly, because those of a page and its map are similar. */
const KEPT = 16;

export function compressPng(image: Buffer): Buffer {
  const { width, height, data, channels } = decode(image);
  const colours = new Uint32Array(width * height).map((_, at) => {
    const [red = 0, green = 0, blue = 0] = data.subarray(channels * at, channels * at + 3);
    return (red << 16) | (green << 8) | blue;
  });
  const similar = mapSimilarColours(colours);
  const kept = [...new Set(similar.values())];
  const indices = new Map(kept.map((colour, index) => [colour, index]));
  const pixels = Uint8Array.from(colours, (colour) => indices.get(similar.get(colour) ?? 0) ?? 0);
  const palette = kept.map((colour) => channelsOf(colour));
  return Buffer.from(
    encode({ width, height, data: pixels, channels: 1, palette }, { zlib: { level: 9 } }),
  );
}

/** Replaces similar colours by the most frequent of them; the length of the palette decides what is similar. */
function mapSimilarColours(colours: Uint32Array): ReadonlyMap<number, number> {
  const counts = new Map<number, number>();
  for (const colour of colours) counts.set(colour, (counts.get(colour) ?? 0) + 1);
  const byFrequency = [...counts].toSorted(([, a], [, b]) => b - a).map(([colour]) => colour);
  for (let step = 1; ; step++) {
    const first = new Map<string, number>();
    const similar = new Map(byFrequency.slice(0, KEPT).map((colour) => [colour, colour]));
    for (const colour of byFrequency.slice(KEPT)) {
      const bucket = channelsOf(colour)
        .map((channel) => Math.floor(channel / step))
        .join();
      if (!first.has(bucket)) first.set(bucket, colour);
      similar.set(colour, first.get(bucket) ?? colour);
    }
    if (first.size + KEPT <= MOST_COLOURS) return similar;
  }
}

const channelsOf = (colour: number) => [colour >> 16, (colour >> 8) & 255, colour & 255];
