import { existsSync, readFileSync, statSync } from 'node:fs';
import { fromArrayBuffer, type GeoTIFFImage } from 'geotiff';
import proj4 from 'proj4';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { coveragePolygonsOf, manifestSchema } from '../../../engine/model/pack/manifest.ts';
import { chooseHref } from '../../../engine/model/pack/periods.ts';

const pack = new URL('../../../models/meuse-soc/', import.meta.url);
const text = (path: string): string => readFileSync(new URL(path, pack), 'utf8');
const json = (path: string): unknown => JSON.parse(text(path));

const manifest = manifestSchema.parse(json('manifest.json'));
const { grid } = manifest;

/** Reference values that `models/meuse-soc/training/reference.py` writes with ONNX Runtime and PROJ. */
const reference = z
  .object({
    features: z.array(z.string()),
    cells: z.array(
      z.union([
        z.object({ column: z.number(), row: z.number(), nodata: z.literal(true) }),
        z.object({ column: z.number(), row: z.number(), features: z.array(z.number()) }),
      ]),
    ),
    positions: z.array(
      z.object({ x: z.number(), y: z.number(), longitude: z.number(), latitude: z.number() }),
    ),
  })
  .parse(json('build/reference.json'));

const rasters = manifest.covariates.flatMap((covariate) =>
  covariate.kind === 'raster' ? { name: covariate.name, href: chooseHref(covariate, {}) } : [],
);

async function imageOf(href: string): Promise<GeoTIFFImage> {
  const bytes = readFileSync(new URL(href, pack));
  return (await fromArrayBuffer(new Uint8Array(bytes).buffer)).getImage();
}

async function pixelsOf(href: string): Promise<ArrayLike<number>> {
  const [pixels] = await (await imageOf(href)).readRasters();
  if (pixels === undefined || typeof pixels === 'number') throw new Error(`${href} has no band`);
  return pixels;
}

const toWgs84 = (x: number, y: number): [number, number] =>
  proj4(grid.crs.proj4, 'EPSG:4326', [x, y]) as [number, number];

/** Whether a ring contains a position, by the even-odd rule. */
function containsPosition(
  ring: readonly (readonly [number, number])[],
  [x, y]: [number, number],
): boolean {
  let inside = false;
  ring.forEach(([ax, ay], i) => {
    const [bx, by] = ring[(i + 1) % ring.length] ?? [ax, ay];
    if (ay > y !== by > y && x < ((bx - ax) * (y - ay)) / (by - ay) + ax) inside = !inside;
  });
  return inside;
}

describe("the default pack's files", () => {
  it('are complete, and the graph is small enough for the repository', () => {
    const graph = manifest.graph?.href ?? '';
    for (const href of [graph, ...rasters.map((raster) => raster.href)]) {
      expect(existsSync(new URL(href, pack)), href).toBe(true);
    }
    expect(statSync(new URL(graph, pack)).size).toBeLessThan(6e6);
  });

  it('have a license and a citation for every part of a result', () => {
    expect(manifest.licenses.map(({ part }) => part.split(' ')[0])).toEqual([
      'samples',
      'covariates',
      'trained',
    ]);
    for (const { license, citation } of manifest.licenses) {
      expect(license).toBe('GPL-2.0-or-later');
      expect(citation).not.toBe('');
    }
    const license = text('data/LICENSE');
    for (const needed of ['either version 2', 'Burrough', 'Rikken', 'Pebesma', 'export.R']) {
      expect(license).toContain(needed);
    }
  });
});

describe("the default pack's rasters", () => {
  it.each(rasters)("$name has the manifest's grid", async ({ href }) => {
    const image = await imageOf(href);
    expect([image.getWidth(), image.getHeight()]).toEqual([grid.width, grid.height]);
    expect(image.getOrigin().slice(0, 2)).toEqual(grid.origin);
    expect(image.getResolution().slice(0, 2)).toEqual([grid.cell_size, -grid.cell_size]);
    expect([image.getTileWidth(), image.getTileHeight()]).toEqual([128, 128]);
    expect(image.getGeoKeys()?.['ProjectedCSTypeGeoKey']).toBe(grid.crs.epsg);
    expect(image.getGDALNoData()).not.toBeNull();
  });

  it('contain the features in the reference values', async () => {
    expect(reference.features).toEqual(manifest.covariates.map(({ name }) => name));
    const pixels = new Map(
      await Promise.all(
        rasters.map(async ({ name, href }) => [name, await pixelsOf(href)] as const),
      ),
    );
    const soil = pixels.get('soil_class');
    for (const cell of reference.cells) {
      const index = cell.row * grid.width + cell.column;
      if ('nodata' in cell) {
        expect(soil?.[index]).toBe(0);
        continue;
      }
      const [west, north] = grid.origin;
      const features = manifest.covariates.map((covariate) => {
        if (covariate.kind === 'raster') return pixels.get(covariate.name)?.[index];
        return covariate.axis === 'x'
          ? west + grid.cell_size * (cell.column + 0.5)
          : north - grid.cell_size * (cell.row + 0.5);
      });
      expect(features).toEqual(cell.features);
    }
  });
});

describe("the default pack's georeference", () => {
  it('agrees with PROJ to a metre', () => {
    const metre = 1 / 111_320;
    for (const { x, y, longitude, latitude } of reference.positions) {
      const [lon, lat] = toWgs84(x, y);
      expect(Math.abs(lat - latitude)).toBeLessThan(metre);
      expect(Math.abs(lon - longitude) * Math.cos((lat * Math.PI) / 180)).toBeLessThan(metre);
    }
  });

  it('has a closed coverage of at most 60 corners that contains every cell with data', async () => {
    const [[ring, ...holes] = []] = coveragePolygonsOf(manifest);
    expect(holes).toEqual([]);
    expect(ring?.length).toBeLessThanOrEqual(61);
    expect(ring?.at(0)).toEqual(ring?.at(-1));
    const soil = await pixelsOf('build/covariates/soil_class.tif');
    const [west, north] = grid.origin;
    const missed = Array.from(soil).filter((value, index) => {
      if (value === 0) return false;
      const x = west + grid.cell_size * ((index % grid.width) + 0.5);
      const y = north - grid.cell_size * (Math.floor(index / grid.width) + 0.5);
      return !containsPosition(ring ?? [], toWgs84(x, y));
    });
    expect(missed).toHaveLength(0);
  });
});

describe("the default pack's accuracy", () => {
  const card = text('README.md');
  const row = (figure: string): readonly string[] => {
    const line = card.split('\n').find((one) => one.startsWith(`| ${figure} `)) ?? '';
    return line.split('|').map((cell) => cell.trim());
  };
  const value = (metric: string): number | undefined =>
    manifest.accuracy.find((figure) => figure.metric === metric)?.value;

  it('is on the model card, both for random folds and for held-out blocks', () => {
    const ofRandomFolds = manifest.accuracy.filter(({ metric }) => !metric.startsWith('spatial '));
    expect(ofRandomFolds.length).toBe(manifest.accuracy.length / 2);
    for (const { metric } of ofRandomFolds) {
      const shown = row(metric)
        .slice(2, 4)
        .map((cell) => cell.split(' ')[0]);
      const measured = [value(metric), value(`spatial ${metric}`)].map((one) => one?.toFixed(3));
      expect(shown, metric).toEqual(measured);
    }
  });

  it("is in the caption of the front page's picture, for samples and weighted by area", () => {
    const caption = text('../../README.md').split('Cross-validated R²:')[1]?.split('](')[0] ?? '';
    const [random, spatial] = [value('R2'), value('spatial R2')].map((r2) => r2?.toFixed(3));
    const [, , randomOfMap, spatialOfMap] = row('R2, weighted by area');
    expect(caption.match(/0\.\d{3}/g)).toEqual([random, spatial, randomOfMap, spatialOfMap]);
  });

  it('is an R² of at least 0.64 with random folds, and less with held-out blocks', () => {
    expect(value('R2')).toBeGreaterThanOrEqual(0.64);
    expect(value('spatial R2')).toBeLessThan(value('R2') ?? 0);
  });

  it('includes a share of 0.88 to 0.93 of samples between q05 and q95', () => {
    for (const metric of ['coverage, q05 to q95', 'spatial coverage, q05 to q95']) {
      expect(value(metric)).toBeGreaterThanOrEqual(0.88);
      expect(value(metric)).toBeLessThanOrEqual(0.93);
    }
  });
});
