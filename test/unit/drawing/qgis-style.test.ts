import { describe, expect, it } from 'vitest';
import { qgisStyle } from '../../../lambdas/drawing/qgis-style.ts';
import { aManifest, aPack } from '../../support/model/builders.ts';

async function styleOf(changes: Parameters<typeof aManifest>[0]): Promise<string> {
  const { manifest } = await aPack(aManifest(changes), {});
  const [band] = manifest.bands;
  if (band === undefined) throw new Error('a manifest has a band');
  return qgisStyle(manifest, band);
}

describe('the QGIS style of a band', () => {
  it("spans the values on QGIS's canvas if the model has no display range", async () => {
    const style = await styleOf({});
    expect(style).toContain('<limits>MinMax</limits><extent>UpdatedCanvas</extent>');
  });

  it('escapes the unit of the model', async () => {
    const property = { name: 'x', unit: '"><script>', depth_cm: [0, 1] as [number, number] };
    const style = await styleOf({ property });
    expect(style).not.toContain('<script>');
    expect(style).toContain('&quot;&gt;&lt;script&gt;');
  });
});
