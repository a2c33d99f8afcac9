import { PNG } from 'pngjs';

/** Without an alpha channel, and packed as tightly as deflate can. */
export function packed(picture: Buffer): Buffer {
  const tight = { colorType: 2, deflateLevel: 9, deflateStrategy: 0, filterType: -1 } as const;
  return PNG.sync.write(PNG.sync.read(picture), tight);
}
