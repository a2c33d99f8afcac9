import { describe, expect, it } from 'vitest';
import { chooseDisplayRange, chooseShownBand } from '../../../engine/model/display-range.ts';
import { aManifest, aPack } from '../../support/model/builders.ts';

const distribution = { first_target: 0, thresholds: [10, 20, 45], lower: 0, upper: 90 };
const mean = { name: 'mean', description: 'mean', from: { kind: 'target', index: 0 } } as const;
const manifestOf = async (changes: Parameters<typeof aManifest>[0]) =>
  (
    await aPack(
      aManifest({ graph: { href: 'f.onnx', format: 'onnx', targets: 3 }, ...changes }),
      {},
    )
  ).manifest;

async function firstOf(changes: Parameters<typeof aManifest>[0]) {
  const manifest = await manifestOf(changes);
  const [band] = manifest.bands;
  if (band === undefined) throw new Error('a manifest has a band');
  return { manifest, band };
}

describe('the display range of a band', () => {
  it('is the range in the manifest', async () => {
    const bands = [{ ...mean, display_range: [-5, 5] as [number, number] }];
    const { manifest, band } = await firstOf({ bands, distribution });
    expect(chooseDisplayRange(manifest, band)).toEqual([-5, 5]);
  });

  it('is the range of the thresholds if the manifest has none', async () => {
    const { manifest, band } = await firstOf({ distribution });
    expect(chooseDisplayRange(manifest, band)).toEqual([10, 45]);
  });

  it('is 0 to 1 for the area of applicability', async () => {
    const band = { ...mean, from: { kind: 'applicability' } } as const;
    expect(chooseDisplayRange({ distribution }, band)).toEqual([0, 1]);
  });

  it('is null if the manifest has neither a range nor thresholds', async () => {
    const { manifest, band } = await firstOf({ bands: [mean] });
    expect(chooseDisplayRange(manifest, band)).toBeNull();
  });

  it.each([[[5, 5]], [[6, 5]], [[1]]])(
    'is rejected unless it has two values, the lower first: %j',
    async (range) => {
      const bands = [{ ...mean, display_range: range as [number, number] }];
      await expect(manifestOf({ bands })).rejects.toThrow('bands[0].display_range');
    },
  );
});

it('the displayed band is the first that is not a quantile', async () => {
  const level = (index: number, at: number) => ({ kind: 'target', index, level: at }) as const;
  const quantiles = [
    { name: 'q05', description: 'lower', from: level(1, 0.05) },
    { name: 'q95', description: 'upper', from: level(2, 0.95) },
  ];
  expect(chooseShownBand(await manifestOf({ bands: [...quantiles, mean] }))?.name).toBe('mean');
  expect(chooseShownBand(await manifestOf({ bands: quantiles }))?.name).toBe('q05');
});
