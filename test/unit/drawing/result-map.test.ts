import { type DecodedPng, decode } from 'fast-png';
import { describe, expect, it } from 'vitest';
import { colourAt } from '#engine/display/colour-ramp.ts';
import type { Manifest } from '../../../engine/model/pack/manifest.ts';
import type { RasterDescription } from '../../../engine/raster/cog/raster.ts';
import { LARGEST_EDGE, resultMap } from '../../../lambdas/drawing/result-map.ts';
import { aManifest, aPack, createPackFiles } from '../../support/model/builders.ts';
import {
  type CellFunction,
  NODATA,
  RD_PROJ4,
  raster,
  rdGrid,
  writeCog,
} from '../../support/raster/builders.ts';

const TITLE = { title: 'North field', lines: ['carbon'] };
const slope: CellFunction = (col, row, band) =>
  col + row < 8 ? NODATA : 10 + (col + row) / 20 + band * 5;

async function manifestOn(grid: Manifest['grid'], range?: [number, number]): Promise<Manifest> {
  const from = { kind: 'target', index: 0 } as const;
  const bands = ['mean', 'other'].map((name) => ({
    name,
    description: name,
    from,
    ...(range === undefined ? {} : { display_range: range }),
  }));
  return (await aPack(aManifest({ grid, bands }), {})).manifest;
}

const rd = { ...rdGrid(), origin: [178_440, 333_760] } as Manifest['grid'];

async function draw(of: RasterDescription, manifest: Manifest, cells = slope, index = 0) {
  const band = manifest.bands[index];
  if (band === undefined) throw new Error('no such band');
  const files = createPackFiles({ 'result.tif': await writeCog(of, cells) });
  const svg = await resultMap({ files, href: 'result.tif' }, manifest, band, TITLE);
  const [, png = ''] = /base64,([^"]+)"/.exec(svg) ?? [];
  const [, width = 0, height = 0] = /<svg [^>]*width="(\d+)" height="(\d+)"/.exec(svg) ?? [];
  const image = /<image [^>]*? width="([\d.]+)" height="([\d.]+)"/.exec(svg)?.slice(1).map(Number);
  return {
    svg,
    png: decode(Buffer.from(png, 'base64')),
    size: [Number(width), Number(height)],
    image: image ?? [],
  };
}

function readPixel({ data, width }: DecodedPng, x: number, y: number): readonly number[] {
  return [...data.subarray((y * width + x) * 4, (y * width + x + 1) * 4)];
}

describe('the map of a result', () => {
  it('shows the colour of each value in the display range, and no colour for nodata', async () => {
    const { png, svg } = await draw(raster(), await manifestOn(rd, [5, 30]), slope, 1);
    expect([png.width, png.height]).toEqual([152, 200]);
    expect(readPixel(png, 0, 0)).toEqual([0, 0, 0, 0]);
    for (const [x, y] of [
      [20, 10],
      [149, 199],
    ] as const) {
      const colour = colourAt(Math.round(((slope(x, y, 1) - 5) / 25) * 255) / 255);
      expect(readPixel(png, x, y)).toEqual([...colour, 255]);
    }
    expect(svg).toContain('image-rendering="pixelated"');
  });

  it('spans its own values for a model without a display range', async () => {
    const { png } = await draw(raster(), await manifestOn(rd));
    expect(readPixel(png, 149, 199)).toEqual([...colourAt(1), 255]);
  });

  it('shows a single colour for a field of one cell', async () => {
    const { png, svg } = await draw(raster({ width: 1, height: 1 }), await manifestOn(rd), () => 7);
    expect(readPixel(png, 0, 0)).toEqual([...colourAt(0), 255]);
    expect(svg).not.toContain('NaN');
    expect(svg).toContain('>2 m</text>');
  });

  it.each([
    [2100, 300],
    [300, 2100],
    [1, 900],
    [1030, 1030],
  ])(
    'is at most 1024 pixels wide and high, from an overview that fits: %i × %i',
    async (width, height) => {
      const { png, size, image } = await draw(
        raster({ width, height, tileSize: 512 }),
        await manifestOn(rd),
      );
      for (const edge of [png.width, png.height, ...size])
        expect(edge).toBeLessThanOrEqual(LARGEST_EDGE);
      expect(Math.max(png.width, png.height)).toBeGreaterThan(LARGEST_EDGE / 2);
      expect((image[0] ?? 0) / (image[1] ?? 1)).toBeCloseTo(png.width / png.height, 6);
    },
  );

  it('shows true cell proportions and a true scale bar for a grid in degrees', async () => {
    const crs = { epsg: 4326, name: 'WGS 84', proj4: '+proj=longlat +datum=WGS84' };
    const grid = { ...rd, crs, origin: [10, 60], cell_size: 0.01 } as Manifest['grid'];
    const of = raster({
      width: 64,
      height: 64,
      crs: { epsg: 4326, name: 'WGS 84', geographic: true },
      origin: [10, 60],
      cellSize: 0.01,
    });
    const { image, svg } = await draw(of, await manifestOn(grid));
    // At 59.68° N, a degree of longitude is 56.3 km, and a degree of latitude 111.4 km.
    expect((image[0] ?? 0) / (image[1] ?? 1)).toBeCloseTo(0.506, 3);
    const [, pixels, length] = /h([\d.]+)v-6"[^>]*\/>\s*<text[^>]*>(\d+) km</.exec(svg) ?? [];
    const kilometres = (Number(pixels) / (image[0] ?? 1)) * 0.64 * 56.34;
    expect(Number(length)).toBeCloseTo(kilometres, 1);
  });

  it('has a scale bar that is true on the ground', async () => {
    const { image, svg } = await draw(raster(), await manifestOn(rd));
    expect(rd.crs.proj4).toBe(RD_PROJ4);
    const [, pixels, metres] = /h([\d.]+)v-6"[^>]*\/>\s*<text[^>]*>(\d+) m</.exec(svg) ?? [];
    // 152 cells of 10 m; the projection is true to 0.01 %.
    expect(Number(metres)).toBeCloseTo((Number(pixels) / (image[0] ?? 1)) * 1520, 0);
  });
});
