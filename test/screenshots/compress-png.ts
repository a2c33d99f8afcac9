import { decode, encode } from 'fast-png';

const MOST_COLOURS = 256;

/** A screenshot with a palette, about a third of its size. */
export function compressPng(image: Buffer): Buffer {
  const { width, height, data, channels } = decode(image);
  const colours = new Uint32Array(width * height).map((_, at) => {
    const [red = 0, green = 0, blue = 0] = data.subarray(channels * at, channels * at + 3);
    return (red << 16) | (green << 8) | blue;
  });
  const similar = similarTo(colours);
  const kept = [...new Set(similar.values())];
  const indices = new Map(kept.map((colour, index) => [colour, index]));
  const pixels = Uint8Array.from(colours, (colour) => indices.get(similar.get(colour) ?? 0) ?? 0);
  const palette = kept.map((colour) => channelsOf(colour));
  return Buffer.from(
    encode({ width, height, data: pixels, channels: 1, palette }, { zlib: { level: 9 } }),
  );
}

/** The most frequent colours stand for themselves, so that the page keeps its own, and for those nearest to them. */
function similarTo(colours: Uint32Array): ReadonlyMap<number, number> {
  const counts = new Map<number, number>();
  for (const colour of colours) counts.set(colour, (counts.get(colour) ?? 0) + 1);
  const byFrequency = [...counts].toSorted(([, a], [, b]) => b - a).map(([colour]) => colour);
  const palette = byFrequency.slice(0, MOST_COLOURS);
  const others = byFrequency.slice(MOST_COLOURS);
  const channels = palette.map(channelsOf);
  const findNearest = (colour: number) => {
    const wanted = channelsOf(colour);
    const distances = channels.map((one) =>
      one.reduce((sum, channel, at) => sum + (channel - (wanted[at] ?? 0)) ** 2, 0),
    );
    return palette[distances.indexOf(Math.min(...distances))] ?? 0;
  };
  return new Map([
    ...palette.map((colour) => [colour, colour] as const),
    ...others.map((colour) => [colour, findNearest(colour)] as const),
  ]);
}

const channelsOf = (colour: number) => [colour >> 16, (colour >> 8) & 255, colour & 255];
