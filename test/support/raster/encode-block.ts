import { createBlockEncoder, type EncodedBlock } from '../../../engine/raster/cog/block-encoder.ts';
import type { Compression } from '../../../engine/raster/cog/compression.ts';
import type { Resampling } from '../../../engine/raster/cog/overview.ts';
import { type SampleArray, sampleTypeOf } from '../../../engine/raster/cog/sample-type.ts';

interface BlockCells {
  /** Pixel-interleaved samples, cells[(row * width + col) * bands + band], with width × height × bands values. */
  readonly cells: SampleArray;
  readonly width: number;
  readonly height: number;
  readonly bands: number;
  readonly nodata: number;
  readonly tileSize: number;
  /** In tiles, a power of two. Blocks at the raster's edges may be smaller. */
  readonly blockTiles: number;
  /** One method per band. */
  readonly resampling?: readonly Resampling[];
  readonly compression?: Compression;
}

/**
 * Encodes a whole block with the encoder that the pipeline feeds strip by strip.
 * @throws RangeError for sizes that do not fit and for cells that are not finite
 */
export function encodeBlock(block: BlockCells): EncodedBlock {
  const { cells, width, height, bands, tileSize } = block;
  if (cells.length !== width * height * bands) {
    throw new RangeError(`${cells.length} values for ${width} × ${height} cells of ${bands} bands`);
  }
  const encoder = createBlockEncoder({
    ...block,
    sampleType: sampleTypeOf(cells),
    resampling: block.resampling ?? Array.from({ length: bands }, () => 'average'),
    compression: block.compression ?? 'deflate',
  });
  const strip = tileSize * width * bands;
  for (let from = 0; from < cells.length; from += strip) {
    encoder.addRows(cells.subarray(from, from + strip));
  }
  return encoder.finish(null);
}
