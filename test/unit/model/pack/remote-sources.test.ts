import { describe, expect, it } from 'vitest';
import { localManifestSchema } from '../../../../engine/model/pack/manifest.ts';
import { loadPack } from '../../../../engine/model/pack/pack.ts';
import { withRemoteSources } from '../../../../engine/model/pack/pack-files.ts';
import { aManifest, asJson, createPackFiles } from '../../../support/model/builders.ts';

function makeManifest(href: string) {
  const [slope, ...others] = aManifest().covariates;
  return aManifest({ covariates: [{ ...slope, href } as typeof slope & object, ...others] });
}

const load = (href: string) =>
  loadPack(createPackFiles({ 'manifest.json': asJson(makeManifest(href)) }));

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
      "covariates[0].href: expected a path inside the pack's folder, https://… or s3://bucket/key",
    );
  });

  it('is read from the source for its scheme', async () => {
    const letters = (text: string) => new TextEncoder().encode(text);
    const files = withRemoteSources(createPackFiles({ a: letters('folder') }), {
      https: createPackFiles({ 'https://x/a': letters('https') }),
      s3: createPackFiles({ 's3://xxx/a': letters('s3') }),
    });
    const read = async (href: string) => new TextDecoder().decode(await files.readFile(href));
    expect(await read('a')).toBe('folder');
    expect(await read('https://x/a')).toBe('https');
    expect(await read('s3://xxx/a')).toBe('s3');
    await expect(read('ftp://x/a')).rejects.toThrow(/https:\/\/.*s3:\/\//);
  });
});

describe('a server on this machine', () => {
  const loadOn = (href: string, schema: typeof localManifestSchema) =>
    loadPack(createPackFiles({ 'manifest.json': asJson(makeManifest(href)) }), schema);

  it.each(['http://127.0.0.1:8080/slope.tif', 'http://[::1]/slope.tif'])(
    'may be a covariate’s source in the development server, but not in a deployment: %s',
    async (href) => {
      await expect(loadOn(href, localManifestSchema)).resolves.toMatchObject({
        ref: 'plain@1.0.0',
      });
      await expect(load(href)).rejects.toThrow('covariates[0].href');
    },
  );

  it.each([
    'http://localhost/slope.tif',
    'http://2130706433/slope.tif',
    'http://0x7f.1/slope.tif',
    'http://127.0.0.1.example.org/slope.tif',
    'http://127.0.0.1:80@example.org/slope.tif',
    'http://169.254.169.254/latest',
    'http://127.0.0.1:123456/slope.tif',
  ])('must be given by a literal loopback address, not as %s', async (href) => {
    await expect(loadOn(href, localManifestSchema)).rejects.toThrow('covariates[0].href');
  });
});
