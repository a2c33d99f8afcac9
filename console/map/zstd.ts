import { decompress } from 'fzstd';
import { addDecoder, BaseDecoder } from 'geotiff';

/** GDAL's code for ZSTD compression (TIFF tag 259). */
const ZSTD = 50_000;

class ZstdDecoder extends BaseDecoder {
  override decodeBlock(buffer: ArrayBufferLike): ArrayBufferLike {
    // The decompressed bytes may start anywhere in a larger buffer.
    return decompress(new Uint8Array(buffer)).slice().buffer;
  }
}

// GeoTIFF's own decoder fetches its WebAssembly from a data: URL, in the page and in its workers. The
// content policy forbids that.
addDecoder(ZSTD, async () => ZstdDecoder, undefined, false);
