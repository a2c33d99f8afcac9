import { decompress } from 'fzstd';
import { addDecoder, BaseDecoder } from 'geotiff';

/** Compression (TIFF tag 259) of GDAL's ZSTD. */
const ZSTD = 50_000;

class ZstdDecoder extends BaseDecoder {
  override decodeBlock(buffer: ArrayBufferLike): ArrayBufferLike {
    // What is decompressed may start anywhere in a larger buffer.
    return decompress(new Uint8Array(buffer)).slice().buffer;
  }
}

// GeoTIFF's own decoder fetches its WebAssembly from a data: URL, in the page and in its workers. The
// content policy forbids that.
addDecoder(ZSTD, async () => ZstdDecoder, undefined, false);
