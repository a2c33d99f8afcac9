import { stat } from 'node:fs/promises';
import { fromFile, fromUrl } from 'geotiff';
import { unescapeItem } from '#engine/model/geotiff/raster-file.ts';
import type { Window } from '#engine/raster/grid/grid.ts';
import { messageOf } from '../../engine/errors/message-of.ts';
import { CommandError } from '../operator/command.ts';
import { readSizeByRange } from '../smoke/raster.ts';

/** A result as stored. Reading it shares no code with the service except the function that unescapes tags. */
export interface StoredRaster {
  readonly bytes: number;
  readonly width: number;
  readonly height: number;
  readonly bands: number;
  /** The outer corner of the first cell: west, north. */
  readonly origin: readonly [number, number];
  readonly cellSize: number;
  readonly tags: Readonly<Record<string, string>>;
  /** Reads stored numbers, row by row with interleaved bands. The window counts from the raster's first cell. */
  readWindow(window: Window): Promise<ArrayLike<number> & object>;
}

/** @throws CommandError */
export async function openStoredRaster(
  from: { readonly url: string } | { readonly file: string },
): Promise<StoredRaster> {
  try {
    const [tiff, bytes] =
      'url' in from
        ? [await fromUrl(from.url, { allowFullFile: false }), await readSizeByRange(from.url)]
        : [await fromFile(from.file), (await stat(from.file)).size];
    const image = await tiff.getImage();
    const [west = Number.NaN, north = Number.NaN] = image.getOrigin();
    const [cellSize = Number.NaN] = image.getResolution();
    const items = (await image.getGDALMetadata()) ?? {};
    return {
      bytes,
      width: image.getWidth(),
      height: image.getHeight(),
      bands: image.getSamplesPerPixel(),
      origin: [west, north],
      cellSize,
      // geotiff.js leaves these values escaped.
      tags: Object.fromEntries(Object.entries(items).map(([k, v]) => [k, unescapeItem(String(v))])),
      readWindow: ({ col, row, width, height }) =>
        image
          .readRasters({ window: [col, row, col + width, row + height], interleave: true })
          .catch(throwUnreadable),
    };
  } catch (error) {
    return throwUnreadable(error);
  }
}

function throwUnreadable(error: unknown): never {
  const reason = messageOf(error);
  throw new CommandError(`the raster cannot be read: ${reason}`);
}
