import { PNG } from 'pngjs';

/** Removes the alpha channel and compresses at the highest level. */
export function compressPng(image: Buffer): Buffer {
  const smallest = { colorType: 2, deflateLevel: 9, deflateStrategy: 0, filterType: -1 } as const;
  return PNG.sync.write(PNG.sync.read(image), smallest);
}
