import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { colourAt, formatHexColour } from '#engine/display/colour-ramp.ts';
import { loadPack } from '../../engine/model/pack/pack.ts';
import { openPackFolder } from '../../engine/model/pack/pack-folder.ts';
import type { RasterDescription } from '../../engine/raster/cog/raster.ts';
import { qgisStyle } from '../../lambdas/drawing/qgis-style.ts';
import { LOCAL_FOLDER } from '../../local/paths.ts';
import { type CellFunction, NODATA, raster, writeCog } from '../support/raster/builders.ts';

/** The Python that has QGIS's package; on Debian, the system's Python. */
const PYTHON = process.env['QGIS_PYTHON'] ?? '/usr/bin/python3';
const SCRIPT = path.join(import.meta.dirname, 'render.py');
/** The pictures stay in this folder, so that a person can look at them. */
const FOLDER = path.join(LOCAL_FOLDER, 'qgis');

const view = z.object({
  style_applied: z.boolean().nullable(),
  renderer: z.string(),
  band: z.string().nullable(),
  range: z.array(z.number()).nullable(),
  labels: z.array(z.string()).nullable(),
  colours: z.array(z.array(z.string())),
});

const { manifest } = await loadPack(openPackFolder('models/meuse-soc'));
const names = manifest.bands.map(({ name }) => name);
const threeBands = names.map((name) => ({ name, description: name, unit: 'kg/m3' }));

/** Values from 12.5 to 103.5, higher in each band, with nodata in a corner. */
const slope: CellFunction = (col, row, band) =>
  col + row < 5 ? NODATA : 10 + col + row / 2 + band * 20;
const constant: CellFunction = (_col, _row, band) => 36.25 + band;

async function file(name: string, description: RasterDescription, cells: CellFunction) {
  mkdirSync(FOLDER, { recursive: true });
  const tif = path.join(FOLDER, `${name}.tif`);
  writeFileSync(tif, await writeCog(description, cells));
  return tif;
}

function styleFile(band: string, of: typeof manifest = manifest): string {
  const qml = path.join(FOLDER, `${of === manifest ? band : 'no-range'}.qml`);
  const found = of.bands.find(({ name }) => name === band);
  if (found === undefined) throw new Error(`no band ${band}`);
  writeFileSync(qml, qgisStyle(of, found));
  return qml;
}

function open(tif: string, picture: string, ...style: string[]) {
  const png = path.join(FOLDER, `${picture}.png`);
  const { status, stdout, stderr } = spawnSync(PYTHON, [SCRIPT, tif, png, ...style], {
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(`QGIS did not render ${tif}: ${stderr}`);
  return { ...view.parse(JSON.parse(stdout)), errors: stderr.match(/ERROR.*/g) ?? [] };
}

const expected = (value: number): string =>
  value === NODATA ? '#ffffff' : formatHexColour(colourAt((value - 6) / (110 - 6)));

/** The largest difference of a channel: QGIS rounds channels down, whereas the ramp rounds to the nearest. */
function distance(a: string, b: string): number {
  const channels = (hex: string) =>
    [1, 3, 5].map((at) => Number.parseInt(hex.slice(at, at + 2), 16));
  const other = channels(b);
  return Math.max(...channels(a).map((channel, i) => Math.abs(channel - (other[i] ?? 0))));
}

const field = { width: 40, height: 30, bands: threeBands };

describe('a result in QGIS', () => {
  it('is shown as a colour composite without the style, which is why the style exists', async () => {
    const tif = await file('field', raster(field), slope);
    expect(open(tif, 'without-style')).toMatchObject({ renderer: 'multibandcolor', band: null });
  });

  it.each([...names.entries()])(
    "is shown with one band over the model's display range: band %i, %s",
    async (band, name) => {
      const tif = await file('field', raster(field), slope);
      const shown = open(tif, name, styleFile(name));
      expect(shown).toMatchObject({
        style_applied: true,
        renderer: 'singlebandpseudocolor',
        band: `Band ${band + 1}: ${name}`,
        range: [6, 110],
        errors: [],
      });
      expect(shown.labels?.at(-1)).toBe('110 kg/m³');
      for (const [row, colours] of shown.colours.entries()) {
        for (const [col, colour] of colours.entries()) {
          const right = expected(slope(col, row, band));
          expect(distance(colour, right), `${col}, ${row}: ${colour}, not ${right}`).toBeLessThan(
            2,
          );
        }
      }
    },
  );

  it('is shown with the scaled values of integers', async () => {
    const bands = threeBands.map((band) => ({ ...band, scale: 0.5, offset: 10 }));
    const integers = raster({ ...field, bands, sampleType: 'int16', nodata: -32_768 });
    const stored: CellFunction = (...cell) =>
      slope(...cell) === NODATA ? -32_768 : (slope(...cell) - 10) / 0.5;
    const tif = await file('integers', integers, stored);
    const { colours } = open(tif, 'integers', styleFile('mean'));
    expect(distance(colours[20]?.[20] ?? '', expected(slope(20, 20, 0)))).toBeLessThan(2);
    expect(colours[0]?.[0]).toBe('#ffffff');
  });

  it('is shown for a field of one cell, without an error if the style is next to it', async () => {
    const tif = await file(
      'one-cell',
      raster({ width: 1, height: 1, bands: threeBands }),
      constant,
    );
    copyFileSync(styleFile('mean'), tif.replace(/tif$/, 'qml'));
    const shown = open(tif, 'one-cell');
    expect(shown).toMatchObject({ renderer: 'singlebandpseudocolor', errors: [] });
    expect(distance(shown.colours[0]?.[0] ?? '', expected(36.25))).toBeLessThan(2);
  });

  it('is shown with colours stretched to the canvas for a model without a display range', async () => {
    const { distribution: _, ...without } = manifest;
    const tif = await file('field', raster(field), slope);
    const shown = open(tif, 'no-range', styleFile('mean', without));
    expect(shown.renderer).toBe('singlebandpseudocolor');
    expect(distance(shown.colours[29]?.[39] ?? '', formatHexColour(colourAt(1)))).toBeLessThan(8);
  });
});
