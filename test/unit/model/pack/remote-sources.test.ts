import { describe, expect, it } from 'vitest';
import { loadPack } from '../../../../engine/model/pack/pack.ts';
import { withRemoteSources } from '../../../../engine/model/pack/pack-files.ts';
import { aManifest, asJson, filesOf } from '../../../support/model/builders.ts';

/** A manifest whose first covariate has that href. */
function withSlopeAt(href: string) {
  const [slope, ...others] = aManifest().covariates;
  return aManifest({ covariates: [{ ...slope, href } as typeof slope & object, ...others] });
}

const load = (href: string) => loadPack(filesOf({ 'manifest.json': asJson(withSlopeAt(href)) }));

describe('a remote covariate', () => {
  it.each(['https://example.org/soil/slope.tif?v=1', 's3://soil-covariates/dem/slope_1(a).tif'])(
    'may be %s',
    async (href) => {
      await expect(load(href)).resolves.toMatchObject({ ref: 'plain@1.0.0' });
    },
  );

  it.each([
    'http://example.org/slope.tif',
    'file:///etc/passwd',
    'https://user:secret@example.org/slope.tif',
    'https://',
    's3://soil-covariates',
    's3://soil-covariates/',
    's3://Soil/slope.tif',
    's3://soil-covariates/*',
    's3://soil-covariates/$anyone',
    '/vsicurl/https://example.org/slope.tif',
  ])('may not be %s', async (href) => {
    await expect(load(href)).rejects.toThrow(
      "covariates[0].href: a path inside the pack's folder, https://… or s3://bucket/key",
    );
  });

  it('is read from the source of its scheme', async () => {
    const letters = (text: string) => new TextEncoder().encode(text);
    const files = withRemoteSources(filesOf({ a: letters('folder') }), {
      https: filesOf({ 'https://x/a': letters('https') }),
      s3: filesOf({ 's3://xxx/a': letters('s3') }),
    });
    const read = async (href: string) => new TextDecoder().decode(await files.read(href));
    expect(await read('a')).toBe('folder');
    expect(await read('https://x/a')).toBe('https');
    expect(await read('s3://xxx/a')).toBe('s3');
    await expect(read('ftp://x/a')).rejects.toThrow(/https:\/\/.*s3:\/\//);
  });
});
